module gorefs/misc/toolchain

go 1.24.0
