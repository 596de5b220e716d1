/** Objects as the API server returns them for a finished job: with all fields that production adds. */
import { createHash } from 'node:crypto';
import {
  ANNOTATIONS,
  fileListSecretName,
  GROUP_VERSION,
  LABELS,
  ZIPPER_CONTAINER,
  ZIPPER_SERVICE_ACCOUNT,
  zipJobName,
} from '#crds/api-group.ts';

/** The same UUID each time for a number. */
function uuidOf(kind: string, n: number): string {
  const hex = createHash('sha256').update(`${kind}${n}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}

const NOW = Date.parse('2026-11-23T02:00:00Z');

function at(n: number, seconds: number): string {
  return new Date(NOW + (n + seconds) * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
}

const NAMESPACE = 'acme-production';

function nameOf(n: number): string {
  return zipJobName(uuidOf('name', n));
}

function versionOf(n: number): string {
  return String(123_456_000 + n);
}

function labelsOf(n: number) {
  return {
    [LABELS.name]: 'zipjobs-zipper',
    [LABELS.instance]: nameOf(n),
    [LABELS.component]: 'archive',
    [LABELS.partOf]: 'zipjobs',
    [LABELS.managedBy]: 'zipjobs-controller',
  };
}

/** Kubernetes and our fields; every cache drops them. */
const managedFields = [
  {
    manager: 'zipjobs-controller',
    operation: 'Apply',
    apiVersion: GROUP_VERSION,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:status': { 'f:phase': {}, 'f:conditions': { 'k:{"type":"Ready"}': { '.': {} } } } },
  },
];

function conditionsOf(n: number) {
  return ['Accepted', 'JobCreated', 'Recovered', 'Running', 'Complete', 'Ready', 'Notified'].map((type) => ({
    type,
    status: 'True',
    reason: 'Uploaded',
    message: 'The archive is complete.',
    lastTransitionTime: at(n, 7),
  }));
}

function statusOf(n: number) {
  return {
    phase: 'Succeeded',
    reason: 'Uploaded',
    apiStatus: 'succeeded',
    message: '12 entries, 123456789 bytes at key archives/2026/11.zip',
    acceptedAt: at(n, 0),
    startedAt: at(n, 2),
    finishedAt: at(n, 7),
    duration: '5s',
    attemptsTotal: 1,
    attempts: [
      {
        n: 1,
        podUid: uuidOf('pod', n),
        startedAt: at(n, 1),
        finishedAt: at(n, 8),
        exitCode: 0,
        class: 'success',
        upload: {
          uploadId: uuidOf('upload', n).repeat(3),
          state: 'committing',
          partSize: 5_242_880,
          parts: 24,
        },
      },
    ],
    job: {
      name: nameOf(n),
      uid: uuidOf('job', n),
      podName: `${nameOf(n)}-abcde`,
      node: 'node-1.example.internal',
    },
    progress: {
      podUid: uuidOf('pod', n),
      at: at(n, 7),
      filesDone: 12,
      filesTotal: 12,
      bytesRead: 123_456_789,
    },
    upload: { uploadId: uuidOf('upload', n).repeat(3), state: 'committing', partSize: 5_242_880 },
    result: {
      contractVersion: 1,
      bytes: 123_456_789,
      entries: 12,
      etag: `"${uuidOf('etag', n)}-24"`,
      seconds: 5,
    },
    webhook: {
      state: 'Delivered',
      deliveryId: `msg_${uuidOf('name', n)}_COMPLETED`,
      attempts: 1,
      log: [{ at: at(n, 8), durationMs: 35, status: 204 }],
    },
    conditions: conditionsOf(n),
  };
}

/** A ZipJob of the API whose webhook was delivered; `isListGone`: its file list was deleted an hour after its end. */
export function productionZipJob(n: number, isListGone = true): object {
  return {
    metadata: {
      name: nameOf(n),
      namespace: NAMESPACE,
      uid: uuidOf('zipjob', n),
      resourceVersion: versionOf(n),
      generation: 1,
      creationTimestamp: at(n, 0),
      annotations: {
        [ANNOTATIONS.acceptedAt]: at(n, 0),
        'zipjobs.dev/accepted-uid': uuidOf('zipjob', n),
        'zipjobs.dev/file-list-bytes': '12345',
        ...(isListGone && { [ANNOTATIONS.fileListDeletedAt]: at(n, 3610) }),
      },
      managedFields,
    },
    spec: {
      bucketRef: { name: 's3-acme-production-archives' },
      service: 's3',
      key: `customers/${uuidOf('customer', n)}/exports/${uuidOf('key', n)}.zip`,
      filesFrom: {
        secretNames: [fileListSecretName(nameOf(n), 0)],
        count: 12,
        sha256: uuidOf('a', n).repeat(2).slice(0, 64),
      },
      webhook: { endpoint: 'default', events: ['COMPLETED', 'FAILED'] },
      metadata: JSON.stringify({
        order: uuidOf('order', n),
        customer: uuidOf('customer', n),
        note: 'x'.repeat(300),
      }),
    },
    status: statusOf(n),
  };
}

export function productionJob(n: number): object {
  return {
    metadata: {
      name: nameOf(n),
      namespace: NAMESPACE,
      uid: uuidOf('job', n),
      resourceVersion: versionOf(n),
      generation: 1,
      creationTimestamp: at(n, 1),
      labels: labelsOf(n),
      annotations: { 'zipjobs.dev/file-list-of': nameOf(n) },
      ownerReferences: [
        {
          apiVersion: GROUP_VERSION,
          kind: 'ZipJob',
          name: nameOf(n),
          uid: uuidOf('zipjob', n),
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields,
    },
    spec: {
      template: {
        spec: {
          serviceAccountName: ZIPPER_SERVICE_ACCOUNT,
          containers: [{ name: ZIPPER_CONTAINER, image: 'x'.repeat(100) }],
        },
      },
    },
    status: {
      startTime: at(n, 1),
      completionTime: at(n, 9),
      succeeded: 1,
      terminating: 0,
      ready: 0,
      uncountedTerminatedPods: {},
      conditions: ['SuccessCriteriaMet', 'Complete'].map((type) => ({
        type,
        status: 'True',
        reason: 'CompletionsReached',
        message: 'Reached expected number of succeeded pods',
        lastProbeTime: at(n, 9),
        lastTransitionTime: at(n, 9),
      })),
    },
  };
}

function podStatusOf(n: number) {
  return {
    phase: 'Succeeded',
    qosClass: 'Burstable',
    hostIP: '10.0.0.7',
    hostIPs: [{ ip: '10.0.0.7' }],
    podIP: `10.1.${n % 250}.${n % 249}`,
    podIPs: [{ ip: `10.1.${n % 250}.${n % 249}` }],
    startTime: at(n, 1),
    conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
      (type) => ({
        type,
        status: 'True',
        reason: 'PodCompleted',
        lastProbeTime: null,
        lastTransitionTime: at(n, 1),
      }),
    ),
    containerStatuses: [
      {
        name: ZIPPER_CONTAINER,
        ready: false,
        started: false,
        restartCount: 0,
        image: 'registry.example/zipjobs/zipjobs-zipper:1.2.3',
        imageID: `registry.example/zipjobs/zipjobs-zipper@sha256:${'0123456789abcdef'.repeat(4)}`,
        containerID: `containerd://${uuidOf('container', n).repeat(2)}`,
        lastState: {},
        resources: { limits: { memory: '256Mi' }, requests: { cpu: '100m', memory: '256Mi' } },
        volumeMounts: ['task', 'bucket', 'files-0', 'token', 'tmp'].map((name) => ({
          name,
          mountPath: `/run/zipjobs/${name}`,
          readOnly: true,
          recursiveReadOnly: 'Disabled',
        })),
        state: {
          terminated: {
            exitCode: 0,
            reason: 'Completed',
            startedAt: at(n, 2),
            finishedAt: at(n, 8),
            containerID: `containerd://${uuidOf('container', n).repeat(2)}`,
            message: JSON.stringify({
              contractVersion: 1,
              mode: 'archive',
              result: { bytes: 123_456_789, entries: 12 },
            }),
          },
        },
      },
    ],
  };
}

export function productionPod(n: number): object {
  return {
    metadata: {
      name: `${nameOf(n)}-abcde`,
      generateName: `${nameOf(n)}-`,
      namespace: NAMESPACE,
      uid: uuidOf('pod', n),
      resourceVersion: versionOf(n),
      generation: 1,
      creationTimestamp: at(n, 1),
      labels: {
        ...labelsOf(n),
        'batch.kubernetes.io/controller-uid': uuidOf('job', n),
        'batch.kubernetes.io/job-name': nameOf(n),
        'controller-uid': uuidOf('job', n),
        'job-name': nameOf(n),
      },
      annotations: { 'zipjobs.dev/task': 'x'.repeat(1500) },
      ownerReferences: [
        {
          apiVersion: 'batch/v1',
          kind: 'Job',
          name: nameOf(n),
          uid: uuidOf('job', n),
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields,
    },
    spec: {
      nodeName: 'node-1.example.internal',
      serviceAccountName: ZIPPER_SERVICE_ACCOUNT,
      containers: [{ name: ZIPPER_CONTAINER, image: 'x'.repeat(100) }],
      volumes: [
        {
          name: 'task',
          downwardAPI: { items: [{ path: 'task.json', fieldRef: { fieldPath: 'metadata' } }] },
        },
        { name: 'bucket', secret: { secretName: 'zipbucket-s3-acme-production-archives', defaultMode: 292 } },
        { name: 'files-0', secret: { secretName: fileListSecretName(nameOf(n), 0), defaultMode: 292 } },
        { name: 'tmp', emptyDir: {} },
      ],
    },
    status: podStatusOf(n),
  };
}
