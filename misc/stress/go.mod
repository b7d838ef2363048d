module gorefs/misc/stress

go 1.27

require github.com/google/pprof v0.0.0-20260906184651-6331bc6350fe
