import styles from './pictures.module.css';

/** What is printed in place of the window: the picture on one page. */
export function Paper({ title, image }: { title: string; image: string }) {
  if (!image) return null;
  return (
    <div className={styles.paper} data-testid="picture-paper">
      <h1>{title}</h1>
      <img src={image} alt={title} />
    </div>
  );
}
