import Synchronization

/// The statements that the server has prepared for one connection, so that it need not parse and plan them again. A
/// statement is prepared when it is run for the second time.
///
/// A pooler may give the connection another session of the server, which does not know them. Names differ from those of other
/// connections, so that the server refuses such a statement. From then on, none are prepared.
struct PreparedStatements {
    private static let most = 200

    private enum State {
        case once
        /// The preparation was sent in a unit, and was not answered.
        case sent(String, unit: Int)
        case known(String)
    }

    private let keepsPlans: PlanKeeping
    private let prefix = "cairn_\(String(UInt64.random(in: 0 ... .max), radix: 36))_"
    private var states: [PostgresStatement.Form: State] = [:]
    /// The statements whose preparation has not been answered, with the numbers of their units.
    private var unanswered: [(unit: Int, form: PostgresStatement.Form)] = []
    private var sentUnits = 0
    private var receivedUnits = 0

    init(_ keepsPlans: PlanKeeping) { self.keepsPlans = keepsPlans }

    /// Sends a statement. Returns `false` if the connection was lost.
    mutating func send(_ statement: PostgresStatement, to session: OpaquePointer) -> Bool {
        guard statement.keepsPlan, keepsPlans.isSet else { return statement.send(to: session) }
        let form = statement.form
        switch states[form] {
        case .known(let name): return statement.send(to: session, preparedAs: name)
        case .sent(let name, let unit):
            // An earlier unit may fail before the preparation.
            return statement.send(to: session, preparedAs: unit == sentUnits ? name : nil)
        case .once:
            let name = "\(prefix)\(sentUnits)_\(unanswered.count)"
            states[form] = .sent(name, unit: sentUnits)
            unanswered.append((sentUnits, form))
            return statement.prepare(as: name, in: session)
                && statement.send(to: session, preparedAs: name)
        case nil:
            if states.count == Self.most {
                states = states.filter { if case .once = $0.value { false } else { true } }
            }
            if states.count < Self.most { states[form] = .once }
            return statement.send(to: session)
        }
    }

    mutating func endSentUnit() { sentUnits += 1 }

    /// Records that the oldest preparation of the unit succeeded.
    mutating func note() {
        guard unanswered.first?.unit == receivedUnits else { return }
        let form = unanswered.removeFirst().form
        if case .sent(let name, _) = states[form] { states[form] = .known(name) }
    }

    /// Records the end of a unit. Preparations without an answer failed, or were not run.
    mutating func endReceivedUnit() {
        while unanswered.first?.unit == receivedUnits {
            states[unanswered.removeFirst().form] = .once
        }
        receivedUnits += 1
    }

    /// Records why the server refused a statement.
    func note(_ sqlState: String) {
        if sqlState == Self.unknownStatement { keepsPlans.unset() }
    }

    /// The server's code for a prepared statement that it does not know.
    static let unknownStatement = "26000"
}

/// Whether something still holds for all connections of a store.
final class PlanKeeping: Sendable {
    private let value = Atomic(true)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func unset() { value.store(false, ordering: .relaxed) }
}
