module toy

go 1.27
