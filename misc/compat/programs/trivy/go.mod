module gorefs/misc/compat/programs/trivy

go 1.26.3

require github.com/aquasecurity/trivy v0.74.0

require (
	github.com/fatih/color v1.19.0 // indirect
	github.com/google/go-containerregistry v0.21.9 // indirect
	github.com/mattn/go-colorable v0.1.15 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/mattn/go-shellwords v1.0.14 // indirect
	github.com/mitchellh/hashstructure/v2 v2.0.2 // indirect
	github.com/package-url/packageurl-go v0.1.6 // indirect
	github.com/samber/lo v1.53.0 // indirect
	github.com/spf13/pflag v1.0.10 // indirect
	golang.org/x/mod v0.40.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/text v0.41.0 // indirect
	golang.org/x/xerrors v0.0.0-20240903120638-7835f813f4da // indirect
	k8s.io/utils v0.0.0-20260319190234-28399d86e0b5 // indirect
)
