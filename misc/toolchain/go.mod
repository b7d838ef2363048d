module gorefs/misc/toolchain

go 1.26.0

require (
	github.com/go-delve/delve v1.27.2
	golang.org/x/mod v0.42.0
)

require (
	golang.org/x/sys v0.46.0 // indirect
	golang.org/x/telemetry v0.0.0-20241106142447-58a1122356f5 // indirect
)
