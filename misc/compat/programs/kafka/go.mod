module gorefs/misc/compat/programs/kafka

go 1.26.0

require (
	github.com/confluentinc/confluent-kafka-go/v2 v2.11.1
	github.com/google/pprof v0.0.0-20261016150608-1facf8f91b50
)
