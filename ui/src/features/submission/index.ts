export { HeadlineText } from './common/HeadlineText';
export { PlanTabs } from './common/PlanTabs';
export { results } from './common/results';
export { storePlan, usePlan } from './common/usePlan';
export { useSubmission } from './common/useSubmission';
export { DeleteConfirmation } from './decisions/DeleteConfirmation';
export { PlanProgress } from './progress/PlanProgress';
export { useEndNotice } from './progress/useEndNotice';
export { Results } from './results/Results';
