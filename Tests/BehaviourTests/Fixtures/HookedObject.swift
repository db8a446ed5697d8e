import Cairn

/// An object that records calls of its hooks and runs a test's closures in them.
final class HookedObject: ManagedObject, SavePreparing, ObjectValidating {
    private(set) var calls: [String] = []
    var onPreparation: ((HookedObject) -> Void)?
    var onValidate: ((HookedObject) throws -> Void)?
    var onDeletion: ((HookedObject) -> Void)?

    func callCount(_ name: String) -> Int { calls.count { $0 == name } }

    func takeCalls() -> [String] {
        defer { calls = [] }
        return calls
    }

    override func awakeFromInsert() { calls.append("awakeFromInsert") }
    override func awakeFromFetch() { calls.append("awakeFromFetch") }
    func prepareForSave() {
        calls.append("prepareForSave")
        onPreparation?(self)
    }
    override func didSave() { calls.append("didSave") }
    override func prepareForDeletion() {
        calls.append("prepareForDeletion")
        onDeletion?(self)
    }
    override func willTurnIntoFault() { calls.append("willTurnIntoFault") }
    override func didTurnIntoFault() { calls.append("didTurnIntoFault") }
    func checkObject(for operation: SaveOperation) throws {
        calls.append("checkObject \(operation)")
        if operation != .deletion { try onValidate?(self) }
    }
}
