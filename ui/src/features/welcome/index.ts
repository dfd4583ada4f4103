export { Tour } from './Tour';
export { WelcomePage } from './WelcomePage';
export { startTour } from './tourState';
