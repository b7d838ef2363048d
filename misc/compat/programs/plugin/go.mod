module gorefs/misc/compat/programs/plugin

go 1.24.0
