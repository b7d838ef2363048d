module gorefs/misc/compat

go 1.24.0
