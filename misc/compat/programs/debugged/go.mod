module gorefs/misc/compat/programs/debugged

go 1.25.0
