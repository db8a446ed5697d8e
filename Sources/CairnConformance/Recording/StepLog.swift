import CairnModel
import CairnStore
import Synchronization

/// The last calls that a rule made to an engine, with their results.
///
/// To keep recording cheap, a step is stored as a closure, which creates the text only if the rule fails.
final class StepLog: Sendable {
    private struct State {
        var steps: [@Sendable () -> String] = []
        var count = 0
    }

    /// The number of steps to keep, which is enough to understand a failure.
    private static let capacity = 30

    private let state = Mutex(State())

    /// Adds a step.
    func note(_ step: @escaping @Sendable () -> String) {
        state.withLock { state in
            state.count += 1
            if state.steps.count == Self.capacity { state.steps.removeFirst() }
            state.steps.append(step)
        }
    }

    /// Makes a call to the engine and adds it as a step.
    ///
    /// - Parameters:
    ///   - call: Returns the text of the call and its arguments.
    ///   - result: Returns the text of the result, or `nil` for a call without a result.
    func recording<T>(
        _ call: @escaping @Sendable () -> String, _ result: (T) -> (@Sendable () -> String)?,
        _ body: () throws(StoreError) -> T
    ) throws(StoreError) -> T {
        do {
            let value = try body()
            let result = result(value)
            note { call() + (result.map { " → \($0())" } ?? "") }
            return value
        } catch {
            note { "\(call()) threw .\(StoreErrorCase(error).rawValue)" }
            throw error
        }
    }

    /// The last steps with their numbers, in the order of the calls.
    var lastSteps: [String] {
        let (steps, count) = state.withLock { ($0.steps, $0.count) }
        return steps.enumerated().map { "\(count - steps.count + $0 + 1). \($1())" }
    }
}
