module gorefs/misc/compat/programs/nats

go 1.26.0
