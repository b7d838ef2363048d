# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# A server that is built with the toolchain's image: nats-server, with profiles on
# port 65432. The context is a module that has the server among its vendored
# dependencies: go.mod, go.sum and vendor/ of misc/demo (go mod vendor).
#
#	docker build -t nats-refs -f misc/container/server.Dockerfile CONTEXT
#
# The image holds the one executable.

ARG TOOLCHAIN=gorefs
FROM ${TOOLCHAIN} AS build
ENV CGO_ENABLED=0
WORKDIR /src
COPY . .
RUN ["go", "build", "-mod=vendor", "-trimpath", "-o", "/out/nats-server", "github.com/nats-io/nats-server/v2"]

FROM scratch
COPY --from=build /out/nats-server /nats-server
EXPOSE 4222 65432
ENTRYPOINT ["/nats-server"]
CMD ["--profile", "65432"]
