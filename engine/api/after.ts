/** Runs `end` when the body is done, whether it returns, throws or promises. Gives what the body gives. */
export function after<Result>(body: () => Result, end: () => void): Result {
  let result: Result;
  try {
    result = body();
  } catch (error) {
    end();
    throw error;
  }
  if (result instanceof Promise) return result.finally(end) as Result;
  end();
  return result;
}
