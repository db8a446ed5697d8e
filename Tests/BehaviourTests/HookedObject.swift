import Cairn

/// An object that notes which hooks were called, and does in them what a test wants.
final class HookedObject: ManagedObject {
    private(set) var calls: [String] = []
    var onWillSave: ((HookedObject) -> Void)?
    var onValidate: ((HookedObject) throws -> Void)?
    var onDeletion: ((HookedObject) -> Void)?

    func callCount(_ name: String) -> Int { calls.count { $0 == name } }

    func takeCalls() -> [String] {
        defer { calls = [] }
        return calls
    }

    override func awakeFromInsert() { calls.append("awakeFromInsert") }
    override func awakeFromFetch() { calls.append("awakeFromFetch") }
    override func willSave() {
        calls.append("willSave")
        onWillSave?(self)
    }
    override func didSave() { calls.append("didSave") }
    override func prepareForDeletion() {
        calls.append("prepareForDeletion")
        onDeletion?(self)
    }
    override func willTurnIntoFault() { calls.append("willTurnIntoFault") }
    override func didTurnIntoFault() { calls.append("didTurnIntoFault") }
    override func validateForInsert() throws {
        calls.append("validateForInsert")
        try onValidate?(self)
    }
    override func validateForUpdate() throws {
        calls.append("validateForUpdate")
        try onValidate?(self)
    }
    override func validateForDelete() throws { calls.append("validateForDelete") }
}
