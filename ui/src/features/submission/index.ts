export { PlanTabs } from './common/PlanTabs';
export { fates } from './common/fates';
export { keepPlan, usePlan } from './common/usePlan';
export { keepSubmission, useSubmission } from './common/useSubmission';
export { DeleteConfirmation } from './decisions/DeleteConfirmation';
export { PlanProgress } from './progress/PlanProgress';
export { SubmissionProgress } from './progress/SubmissionProgress';
export { Results } from './results/Results';
