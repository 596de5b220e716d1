# One target per image. Context: the root of the repository. A release names the base image by its digest:
#   docker build --target api --build-arg NODE_IMAGE=node@sha256:... -t zipjobs-api .
ARG NODE_IMAGE=node:24.22.2-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json scripts/keep-dependencies.ts scripts/install-packages scripts/build-program ./

# What every image starts.
FROM ${NODE_IMAGE} AS process
# One arena: glibc's default of eight for each processor keeps 20 MiB more after large lists.
ENV NODE_ENV=production NODE_COMPILE_CACHE=/app/.compile-cache MALLOC_ARENA_MAX=1
LABEL org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /app
# Numeric, so that Kubernetes can verify that it is not root. Any other user works too. Only root can change the files.
USER 65532:65532

# The arguments of install-packages are the packages that the program imports; a test compares them with its imports. Node is PID 1
# without a shell, so that it receives signals.

FROM build AS api-packages
RUN sh install-packages \
  @koa/router \
  @kubernetes/client-node \
  ajv \
  ioredis \
  ipaddr.js \
  js-yaml \
  koa \
  pg \
  pino \
  prom-client \
  rate-limiter-flexible \
  undici

FROM api-packages AS api-program
COPY crds ./crds
COPY runtime ./runtime
COPY api ./api
RUN sh build-program api/programs/warm-up/main.ts

FROM process AS api
LABEL org.opencontainers.image.title="zipjobs-api" \
  org.opencontainers.image.description="Accepts requests for archives and creates ZipJobs"
COPY --from=api-program /app/node_modules ./node_modules
COPY --from=api-program /app/program ./
ENTRYPOINT ["node", "api/main.ts"]

FROM build AS controller-packages
RUN sh install-packages \
  @kubernetes/client-node \
  ajv \
  ipaddr.js \
  js-yaml \
  node-pg-migrate \
  pg \
  pino \
  prom-client \
  undici

FROM controller-packages AS controller-program
COPY crds ./crds
COPY runtime ./runtime
COPY controller ./controller
RUN sh build-program controller/programs/warm-up/main.ts

FROM process AS controller
LABEL org.opencontainers.image.title="zipjobs-controller" \
  org.opencontainers.image.description="Creates a Job for each ZipJob, updates its status and sends webhooks"
COPY --from=controller-program /app/node_modules ./node_modules
COPY --from=controller-program /app/program ./
# V8 saves memory, which decides how many finished ZipJobs fit; NODE_OPTIONS does not allow this option.
ENTRYPOINT ["node", "--optimize-for-size", "controller/main.ts"]

FROM build AS dashboard-packages
RUN sh install-packages \
  @aws-sdk/client-s3 \
  @aws-sdk/s3-request-presigner \
  @koa/router \
  @kubernetes/client-node \
  ajv \
  d3-scale \
  eta \
  ioredis \
  ipaddr.js \
  js-yaml \
  koa \
  koa-bodyparser \
  openid-client \
  pg \
  pino \
  prom-client \
  rate-limiter-flexible \
  undici \
  yaml

FROM dashboard-packages AS dashboard-program
COPY crds ./crds
COPY runtime ./runtime
COPY administration ./administration
COPY dashboard ./dashboard
RUN sh build-program dashboard/warm-up/main.ts

FROM process AS dashboard
LABEL org.opencontainers.image.title="zipjobs-dashboard" \
  org.opencontainers.image.description="Serves the web pages for projects, jobs, buckets and tokens"
COPY --from=dashboard-program /app/node_modules ./node_modules
COPY --from=dashboard-program /app/program ./
# V8 saves memory, which decides how many finished ZipJobs fit; NODE_OPTIONS does not allow this option.
ENTRYPOINT ["node", "--optimize-for-size", "dashboard/main.ts"]

FROM build AS zipper-packages
RUN sh install-packages \
  @aws-sdk/client-s3 \
  @node-rs/crc32 \
  ajv \
  ipaddr.js \
  pino \
  undici

FROM zipper-packages AS zipper-program
# Received bytes are in buffers that only a collection of the young generation frees, and V8 collects a smaller one earlier.
# With 2 MiB instead of V8's 16 an archive needs up to 40 MiB less memory, and less CPU. The compile cache is valid only for the
# same options.
ENV NODE_OPTIONS=--max-semi-space-size=2
COPY crds ./crds
COPY runtime ./runtime
COPY zipper-image ./zipper-image
RUN sh build-program zipper-image/warm-up/main.ts

FROM process AS zipper
LABEL org.opencontainers.image.title="zipjobs-zipper" \
  org.opencontainers.image.description="Downloads files and uploads them to a bucket as one zip archive"
# V8 receives each TLS record into memory of malloc. With one arena, from which freed memory goes back to the kernel late,
# fewer pages are unmapped and mapped again. The memory of parts is mapped by itself (docs/performance.md).
ENV NODE_OPTIONS=--max-semi-space-size=2 MALLOC_TRIM_THRESHOLD_=67108864 MALLOC_MMAP_THRESHOLD_=4194304
COPY --from=zipper-program /app/node_modules ./node_modules
COPY --from=zipper-program /app/program ./
ENTRYPOINT ["node", "zipper-image/main.ts"]

FROM build AS cli-packages
RUN sh install-packages \
  @inquirer/password \
  @kubernetes/client-node \
  ajv \
  archiver \
  ipaddr.js \
  js-yaml \
  undici \
  yaml \
  yargs

FROM cli-packages AS cli-program
COPY crds ./crds
COPY runtime ./runtime
COPY administration ./administration
COPY cli ./cli
RUN sh build-program

FROM process AS cli
LABEL org.opencontainers.image.title="zipjobs-cli" \
  org.opencontainers.image.description="The command line: manages projects, buckets, tokens and jobs"
COPY --from=cli-program /app/node_modules ./node_modules
COPY --from=cli-program /app/program ./
ENTRYPOINT ["node", "cli/main.ts"]
