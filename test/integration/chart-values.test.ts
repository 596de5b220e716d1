/** Values of the chart that change what its processes do. */
import { installChart } from '#test/support/processes/installation.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { forgetInstallation } from '#test/support/worlds/shared-installation.ts';
import { describeFlowControl } from './chart-values/flow-control.ts';
import type { Installed } from './chart-values/installed.ts';
import { applyBundle, describePrivateAuthorities, TRUST_BUNDLE } from './chart-values/private-authorities.ts';
import { describeProjectClasses, PROJECT_CLASSES } from './chart-values/project-classes.ts';
import { describeProxies } from './chart-values/proxies.ts';
import { CHECKPOINTED_PODS, describeRestoredCheckpoint } from './chart-values/restored-checkpoint.ts';
import { describeSingleNode } from './chart-values/single-node.ts';
import { describeTls } from './chart-values/tls.ts';

// First, so that the next installation replaces the pods that use these proxies.
describe('a job behind proxies', function () {
  this.timeout(240_000);
  describeProxies();
});

describe('the API with TLS', function () {
  this.timeout(280_000);
  describeTls();
});

describe('a store on the node of the API server', function () {
  this.timeout(280_000);
  describeSingleNode();
});

describe('values of the chart in one installation', function () {
  this.timeout(280_000);
  let installed: Installed | undefined;
  function theInstalled(): Installed {
    if (installed === undefined) throw new Error('the chart was not installed');
    return installed;
  }

  before(async () => {
    const cluster = await sharedCluster();
    await applyBundle(cluster);
    const installation = await installChart(cluster, {
      flowControl: { enabled: true },
      projectClasses: PROJECT_CLASSES,
      trustBundle: TRUST_BUNDLE,
      controller: { replicas: 1, podTemplate: CHECKPOINTED_PODS },
    });
    installed = { cluster, baseUrl: await installation.apiUrl() };
  });
  after(forgetInstallation);

  describe('flow control', () => describeFlowControl(theInstalled));
  describe('the class of a project', () => describeProjectClasses(theInstalled));
  describe('a ZipCheckpoint of a backup', () => describeRestoredCheckpoint(theInstalled));
  describe('a job with private certificate authorities', () => describePrivateAuthorities(theInstalled));
});
