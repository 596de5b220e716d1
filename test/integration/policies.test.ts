/** The chart's roles and admission policies, checked with real requests of every role. */

import { describeApi } from './policies/api.ts';
import { describeApiZipJobs } from './policies/api-zip-jobs.ts';
import { describeBucketDeletions } from './policies/bucket-deletions.ts';
import { describeCheckpointApi } from './policies/checkpoint-api.ts';
import { describeCheckpoints } from './policies/checkpoints.ts';
import { describeController } from './policies/controller.ts';
import { describeNarrowedController } from './policies/controller-narrowed.ts';
import { describeDashboard } from './policies/dashboard.ts';
import { describeEditor } from './policies/editor.ts';
import { describeEditorMetadata } from './policies/editor-metadata.ts';
import { describeForeignObjects } from './policies/foreign-objects.ts';
import { describePermissions } from './policies/permissions.ts';
import { describeProjectObjects } from './policies/project-objects.ts';
import { describeQueueController } from './policies/queue-controller.ts';
import { describeSourceBuckets } from './policies/source-buckets.ts';
import { describeStatusApi } from './policies/status-api.ts';
import { describeUpgradedRelease } from './policies/upgraded-release.ts';
import { describeWebIdentity } from './policies/web-identity.ts';
import { createWorld, type World } from './policies/world.ts';
import { describeZipper } from './policies/zipper.ts';
import { describeZipperImages } from './policies/zipper-images.ts';
import { describeJobFields } from './policies/zipper-job-fields.ts';
import { describeZipperJobs } from './policies/zipper-jobs.ts';

describe('roles and policies', function () {
  this.timeout(300_000);
  let world: World | undefined;
  function theWorld(): World {
    if (world === undefined) throw new Error('the cluster of these tests did not start');
    return world;
  }

  before(async () => {
    world = await createWorld();
  });
  after(() => world?.[Symbol.asyncDispose]());

  describe('a zipper', () => describeZipper(theWorld));
  describe("the zipper's status client", () => describeStatusApi(theWorld));
  describe("the zipper's checkpoint client", () => describeCheckpointApi(theWorld));
  describe('a ZipCheckpoint', () => describeCheckpoints(theWorld));
  describe('a user with the edit role', () => describeEditor(theWorld));
  describe('the metadata of zippers', () => describeEditorMetadata(theWorld));
  describe('the controller of a queue', () => describeQueueController(theWorld));
  describe('the controller', () => describeController(theWorld));
  describe("the controller's Jobs", () => describeZipperJobs(theWorld));
  describe('the image of such a Job', () => describeZipperImages(theWorld));
  describe('a bucket without keys', () => describeWebIdentity(theWorld));
  describe('the buckets of files', () => describeSourceBuckets(theWorld));
  describe('every field of such a Job', () => describeJobFields(theWorld));
  describe("the controller's permissions", () => describeNarrowedController(theWorld));
  describe('the objects of a project', () => describeProjectObjects(theWorld));
  describe('the API', () => describeApi(theWorld));
  describe('a ZipJob of the API', () => describeApiZipJobs(theWorld));
  describe('the deletion of a bucket', () => describeBucketDeletions(theWorld));
  describe('the dashboard', () => describeDashboard(theWorld));
  describe('objects of others', () => describeForeignObjects(theWorld));
  describe('the permissions of every account', () => describePermissions(theWorld));
  describe('Jobs after an upgrade', () => describeUpgradedRelease(theWorld));
});
