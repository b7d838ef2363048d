module gorefs/misc/compat/programs/profiles

go 1.24.0
