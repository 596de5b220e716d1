import type { Check } from '../context.ts';
import { orOk } from '../finding.ts';
import { compareRecorded } from './recorded-objects.ts';

export const rights: Check = {
  name: 'rights',
  run: async (context) =>
    orOk(
      await compareRecorded(
        {
          kinds: ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
          effect: 'a process may lack a permission, or have one that it should not have',
        },
        context,
      ),
      'All roles and their bindings are those of the release',
    ),
};
