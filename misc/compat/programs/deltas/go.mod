module gorefs/misc/compat/programs/deltas

go 1.26.0

require (
	github.com/google/pprof v0.0.0-20261016150608-1facf8f91b50
	github.com/grafana/pyroscope-go v1.4.3
	github.com/grafana/pyroscope-go/godeltaprof v0.1.12
)

require github.com/klauspost/compress v1.18.7 // indirect
