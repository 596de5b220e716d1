import { expect } from 'chai';
import { archiveJob, recoveryJob } from '#controller/zip-job/manifest/job-manifest.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { ago, aZipBucket, aZipJob, NAME, NAMESPACE, NOW } from '#test/support/builders/objects.ts';
import { anUpload } from '#test/support/builders/zip-job-statuses.ts';
import { parseTask } from '#zipper-image/tasks/task.ts';

const config = aConfig({ zipperEnv: { LOG_LEVEL: 'debug', POD_UID: 'forged' } });
const job = archiveJob(aZipJob(), aZipBucket({ objectOptions: { cacheControl: 'no-store' } }), config);

function podOf(one: typeof job) {
  return one.spec?.template.spec;
}

function containerOf(one: typeof job) {
  return podOf(one)?.containers[0];
}

/** The task, parsed as the zipper parses it. */
function taskOf(one: typeof job) {
  return parseTask(one.spec?.template.metadata?.annotations?.['zipjobs.dev/task'] ?? '');
}

describe('archiveJob', () => {
  it('has the name of the ZipJob and is owned by it, so that only one can exist', () => {
    expect(job.metadata).to.deep.equal({
      name: NAME,
      namespace: NAMESPACE,
      labels: {
        'app.kubernetes.io/name': 'zipjobs-zipper',
        'app.kubernetes.io/instance': NAME,
        'app.kubernetes.io/component': 'archive',
        'app.kubernetes.io/part-of': 'zipjobs',
        'app.kubernetes.io/managed-by': 'zipjobs-controller',
      },
      ownerReferences: [
        {
          apiVersion: 'zipjobs.dev/v1alpha1',
          kind: 'ZipJob',
          name: NAME,
          uid: 'uid-zipjob',
          controller: true,
        },
      ],
    });
  });

  it('gives a zipper the settings that the operator has set, and recovery the same', () => {
    const own = aConfig({ taskSettings: { sourceConcurrency: 3 } });
    const upload = { attempt: { n: 1, podUid: 'p1' }, upload: anUpload('open'), now: NOW };
    const recovery = recoveryJob(aZipJob(), { ...upload, bucket: aZipBucket() }, own);
    for (const made of [archiveJob(aZipJob(), aZipBucket(), own), recovery])
      expect(taskOf(made)).to.deep.include({ settings: { sourceConcurrency: 3 } });
    expect(taskOf(job)).to.not.have.any.keys('settings');
  });

  it('names the owner of the mounted file list in the Job of a rerun', () => {
    const again = aZipJob({ metadata: { name: 'again' }, spec: { ...aZipJob().spec } });
    const made = archiveJob(again, aZipBucket(), config);
    expect(made.metadata.annotations).to.deep.equal({ 'zipjobs.dev/file-list-of': NAME });
  });

  it('runs one pod at a time, and distinguishes permanent failures and disruptions from the rest (K2) (K5)', () => {
    const { template: _template, ...spec } = job.spec ?? { template: {} };
    expect(spec).to.deep.equal({
      completions: 1,
      parallelism: 1,
      podReplacementPolicy: 'Failed',
      backoffLimit: 23,
      activeDeadlineSeconds: 7200,
      podFailurePolicy: {
        rules: [
          {
            action: 'FailJob',
            onExitCodes: {
              containerName: 'zipper',
              operator: 'In',
              values: [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29],
            },
          },
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
          {
            action: 'Ignore',
            onExitCodes: { containerName: 'zipper', operator: 'In', values: [34, 35, 38] },
          },
        ],
      },
    });
  });

  it('is suspended for its queue, and a recovery Job only for the queue that it is given (X48)', () => {
    const queued = aZipJob({ spec: { queueName: 'night' } });
    const { metadata, spec } = archiveJob(queued, aZipBucket(), config);
    expect([metadata.labels?.['kueue.x-k8s.io/queue-name'], spec?.suspend]).to.deep.equal(['night', true]);
    const lost = { attempt: { n: 1, podUid: 'p' }, upload: anUpload('open'), bucket: aZipBucket(), now: NOW };
    for (const [queueName, suspend] of [
      [undefined, undefined],
      ['night', true],
    ] as const) {
      const recover = recoveryJob(queued, { ...lost, queueName }, config);
      expect(recover.metadata.labels?.['kueue.x-k8s.io/queue-name']).to.equal(queueName);
      expect(recover.spec?.suspend).to.equal(suspend);
    }
  });

  it('passes the task in one annotation, without credentials and URLs', () => {
    expect(taskOf(job)).to.deep.equal({
      mode: 'archive',
      contractVersion: 1,
      bucket: { name: 'archive', service: 's3', region: 'eu-central-1', cacheControl: 'no-store' },
      namespace: NAMESPACE,
      zipJob: NAME,
      zipJobUid: 'uid-zipjob',
      key: 'out/archive.zip',
      compression: 'store',
      onConflict: 'replace',
      defaultModificationTime: ago(60),
      files: { from: 'mounted', chunks: 1, count: 3, sha256: 'ab'.repeat(32) },
      startDeadlineSeconds: 600,
      activeDeadlineSeconds: config.activeDeadlineSeconds,
    });
    const limits = aZipJob({ spec: { activeDeadlineSeconds: 90 } });
    const limited = archiveJob(limits, aZipBucket(), { ...config, sharesTarget: true });
    expect(taskOf(limited)).to.include({ activeDeadlineSeconds: 90, sharedTarget: true });
  });

  it('passes the choices of the ZipJob for failed sources, manifest, names and times to the task', () => {
    const choices = {
      onSourceError: 'Skip',
      manifestEntry: 'contents.json',
      manifestFormat: 'bagit',
      portableNames: 'rewrite',
      duplicateNames: 'rename',
      fixedModificationTime: '2024-05-06T07:08:09Z',
    } as const;
    expect(taskOf(archiveJob(aZipJob({ spec: choices }), aZipBucket(), config))).to.deep.include(choices);
  });

  it('passes the options of the object to the task, if there are any', () => {
    const objectOptions = { contentType: 'a/b', tags: { a: '1' } };
    function taskFor(given: object) {
      return taskOf(archiveJob(aZipJob({ spec: { objectOptions: given } }), aZipBucket(), config));
    }
    expect(taskFor(objectOptions)).to.deep.include({ objectOptions });
    expect(taskFor({})).to.not.have.property('objectOptions');
  });

  it('passes `sequential` of the ZipJob to the task, also if it is false (F31)', () => {
    for (const sequential of [true, false])
      expect(taskOf(archiveJob(aZipJob({ spec: { sequential } }), aZipBucket(), config))).to.include({
        sequential,
      });
  });

  it('tolerates an unreachable node for 30 s instead of five minutes (K4)', () => {
    const lost = podOf(job)?.tolerations?.filter(({ key }) => key?.startsWith('node.kubernetes.io/'));
    expect(lost).to.deep.equal(
      ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].map((key) => ({
        key,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 30,
      })),
    );
  });

  it('meets the restricted Pod Security Standard, with a read-only root, resource limits and no automatic token (P1, P2)', () => {
    const pod = podOf(job);
    expect(pod?.securityContext).to.include({ runAsNonRoot: true, runAsUser: 65_532 });
    expect(pod?.securityContext?.seccompProfile?.type).to.equal('RuntimeDefault');
    expect(containerOf(job)?.securityContext).to.deep.equal({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(Object.keys(containerOf(job)?.resources?.limits ?? {})).to.deep.equal([
      'cpu',
      'memory',
      'ephemeral-storage',
    ]);
    expect(pod?.automountServiceAccountToken).to.equal(false);
  });

  it("mounts only the task, the bucket's Secret, its file list and a short-lived token (P3, P7)", () => {
    const sources = podOf(job)?.volumes?.map(
      (volume) => volume.secret?.secretName ?? volume.projected?.sources,
    );
    expect(sources).to.deep.equal([
      [
        {
          downwardAPI: {
            items: [
              {
                path: 'task.json',
                fieldRef: { apiVersion: 'v1', fieldPath: "metadata.annotations['zipjobs.dev/task']" },
              },
            ],
          },
        },
      ],
      'zipbucket-s3-archive',
      [{ secret: { name: `${NAME}-files-0`, items: [{ key: 'files.jsonl.gz', path: '0.jsonl.gz' }] } }],
      [
        { serviceAccountToken: { path: 'token', expirationSeconds: 600 } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      ],
    ]);
  });

  it("does not let the operator's variables override those of the controller", () => {
    const env = containerOf(job)?.env ?? [];
    expect(env.filter(({ name }) => name === 'POD_UID')).to.deep.equal([
      { name: 'POD_UID', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.uid' } } },
    ]);
    expect(env.find(({ name }) => name === 'LOG_LEVEL')?.value).to.equal('debug');
  });

  it('passes a valid traceparent to the zipper, and drops an invalid one', () => {
    function traceOf(traceparent: string): string | undefined {
      const annotations = { 'zipjobs.dev/traceparent': traceparent };
      const job = archiveJob(aZipJob({ metadata: { annotations } }), aZipBucket(), config);
      return containerOf(job)?.env?.find(({ name }) => name === 'TRACEPARENT')?.value;
    }
    const valid = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    expect(traceOf(valid)).to.equal(valid);
    expect(traceOf('$(POD_UID)')).to.equal(undefined);
  });

  it("keeps the caller's text out of names, labels and env (P14)", () => {
    const hostile = archiveJob(aZipJob({ spec: { key: 'CANARY' } }), aZipBucket(), config);
    const { template, ...rest } = hostile.spec ?? { template: {} };
    expect(JSON.stringify([hostile.metadata, rest, template.spec, template.metadata?.labels])).to.not.contain(
      'CANARY',
    );
  });

  it('uses an inline file list, and the limits and priority class that the ZipJob sets', () => {
    const { filesFrom: _filesFrom, ...spec } = aZipJob().spec;
    const inline = archiveJob(
      {
        ...aZipJob(),
        spec: {
          ...spec,
          files: [{ url: 'https://a.example/a', filename: 'a' }],
          maxAttempts: 1,
          activeDeadlineSeconds: 90,
          priorityClassName: 'low',
          resources: { limits: { memory: '1Gi' } },
          onConflict: 'fail',
        },
      },
      aZipBucket(),
      config,
    );
    expect(taskOf(inline)).to.deep.include({ files: { from: 'inline', count: 1 }, onConflict: 'fail' });
    expect(inline.spec).to.include({ backoffLimit: 20, activeDeadlineSeconds: 90 });
    expect(podOf(inline)?.priorityClassName).to.equal('low');
    expect(containerOf(inline)?.resources?.limits).to.deep.equal({ memory: '1Gi' });
    expect(podOf(inline)?.volumes?.map(({ name }) => name)).to.deep.equal(['task', 'bucket', 'api-token']);
  });
});

describe('recoveryJob', () => {
  const attempt = { n: 3, podUid: 'uid-p3' };
  const lost = { attempt, upload: anUpload('committing'), bucket: aZipBucket(), now: NOW };
  const recover = recoveryJob(aZipJob(), lost, config);

  it('has one pod, which waits a day for a node, has the number of the attempt in its name, and neither token nor file list (F25) (H8)', () => {
    expect(recover.metadata.name).to.equal(`${NAME}-recover-3`);
    expect(recover.spec).to.include({
      backoffLimit: 0,
      activeDeadlineSeconds: 86_400,
      podReplacementPolicy: 'TerminatingOrFailed',
    });
    expect(recover.spec?.template.spec).not.to.have.property('activeDeadlineSeconds');
    expect(podOf(recover)?.volumes?.map(({ name }) => name)).to.deep.equal(['task', 'bucket']);
  });

  it('has small resources and a priority class of its own, whatever the ZipJob sets (F25)', () => {
    const huge = { requests: { cpu: '64' }, limits: { memory: '64Gi' } };
    const zipJob = aZipJob({ spec: { resources: huge, priorityClassName: 'low' } });
    const job = recoveryJob(zipJob, lost, aConfig({ recoveryPriorityClassName: 'first' }));
    expect(containerOf(job)?.resources).to.deep.equal({
      requests: { cpu: '50m', memory: '128Mi', 'ephemeral-storage': '16Mi' },
      limits: { cpu: '500m', memory: '256Mi', 'ephemeral-storage': '64Mi' },
    });
    expect(podOf(job)?.priorityClassName).to.equal('first');
    expect(podOf(recoveryJob(zipJob, lost, config))?.priorityClassName).to.equal('low');
  });

  it('names the upload and the attempt in the task, and how long ago it ended (F47)', () => {
    expect(taskOf(recover)).to.deep.equal({
      mode: 'recover',
      contractVersion: 1,
      bucket: { name: 'archive', service: 's3', region: 'eu-central-1' },
      zipJobUid: 'uid-zipjob',
      key: 'out/archive.zip',
      uploadId: 'upload-1',
      uploadState: 'committing',
      attempt: 'uid-p3',
      since: aZipJob().metadata.creationTimestamp,
      endedAt: NOW.toISOString(),
      endedAgeSeconds: 0,
    });
    const upload = { ...anUpload('committing'), archive: { bytes: 77, entries: 1 } };
    const ended = { ...attempt, startedAt: ago(50), finishedAt: ago(20) };
    const shared = { ...config, sharesTarget: true };
    const job = recoveryJob(aZipJob(), { ...lost, attempt: ended, upload }, shared);
    expect(taskOf(job)).to.deep.include({
      since: ago(50),
      endedAt: ago(20),
      endedAgeSeconds: 20,
      bytes: 77,
      sharedTarget: true,
    });
  });

  it('limits the size of an archive by its parts if no size was recorded (F47)', () => {
    const upload = { ...anUpload('committing'), parts: 3 };
    const job = recoveryJob(aZipJob(), { ...lost, upload }, config);
    expect(taskOf(job)).to.include({ bytes: 3 * upload.partSize });
  });

  describe('of an attempt that recorded its parts', () => {
    const archive = { bytes: 77, entries: 1 };
    const upload = { ...anUpload('committing'), parts: 3, partsDigest: 'd'.repeat(64), archive };
    const ended = { ...attempt, startedAt: ago(50), finishedAt: ago(20) };
    function taskFor(change: Partial<Parameters<typeof recoveryJob>[1]>, zipJob = aZipJob()) {
      return taskOf(recoveryJob(zipJob, { ...lost, attempt: ended, upload, ...change }, config));
    }

    it('completes the upload if it may (F25)', () => {
      expect(taskFor({ mayFinish: true })).to.deep.include({
        finish: { parts: 3, partsDigest: 'd'.repeat(64), onConflict: 'replace' },
        bytes: 77,
        endedAt: ago(20),
        endedAgeSeconds: 20,
      });
      expect(taskFor({})).to.not.have.property('finish');
      const open = { ...upload, state: 'open' } as const;
      expect(taskFor({ mayFinish: true, upload: open })).to.not.have.property('finish');
    });

    it('counts from the last recovery pod that may have completed it too (F47)', () => {
      const again = { ...ended, completeSentAt: ago(5) };
      expect(taskFor({ attempt: again })).to.include({ endedAt: ago(5), endedAgeSeconds: 5 });
    });

    it('keeps an object at the key if the job or its bucket says so (F27)', () => {
      const zipJob = aZipJob({ spec: { onConflict: 'fail' } });
      expect(taskFor({ mayFinish: true }, zipJob)).to.deep.include({
        finish: { parts: 3, partsDigest: 'd'.repeat(64), onConflict: 'fail' },
      });
    });

    it('names the pod that created the upload, which an adopted upload keeps (F25)', () => {
      expect(taskFor({ upload: { ...upload, owner: 'uid-p1' } })).to.include({ attempt: 'uid-p1' });
      expect(taskFor({})).to.include({ attempt: 'uid-p3' });
    });
  });
});
