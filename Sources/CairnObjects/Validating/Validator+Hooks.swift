import CairnModel
import CairnStack

/// The part of a save's validation that calls the hooks that check whole objects.
extension Validator {
    /// The violations that the check of each object found, by the object's identity.
    private typealias Findings = [ObjectIdentifier: [ValidationFailure]]

    mutating func checkUntilSettled(
        _ context: ManagedObjectContext
    ) throws(GraphError) {
        var checked: ContiguousArray<ManagedObject> = []
        var findings: Findings = [:]
        defer { for object in checked { object.endHooks() } }
        for _ in 0..<SaveHooks.mostRounds {
            // Hooks may insert and change other objects, which are then checked too.
            let waiting = context.tracker.objects.filter(\.needsHook)
            if waiting.isEmpty {
                failures = checked.flatMap { findings[ObjectIdentifier($0)] ?? [] }
                return
            }
            for operation in [SaveOperation.insertion, .update, .deletion] {
                for object in waiting where object.operation == operation {
                    try checkWithHooks(object, &checked, &findings)
                }
            }
        }
        throw SaveHooks.neverSettle("checkObject", context.tracker.objects.filter(\.needsHook))
    }

    /// Checks an object and calls its hook. Changes that the hook makes to the object itself are checked
    /// only against the model's rules. Otherwise, a check that sets a modification date would be called
    /// forever.
    private mutating func checkWithHooks(
        _ object: ManagedObject, _ checked: inout ContiguousArray<ManagedObject>,
        _ findings: inout Findings
    ) throws(GraphError) {
        // The object was already checked in this round, when it had another state.
        guard object.needsHook else { return }
        if object.beginHook() { checked.append(object) }
        failures = []
        wasRefusedByClass = false
        try checkRules(of: object)
        object.watchForChanges()
        let refused = object.operation.map { refusals(of: object, for: $0) } ?? []
        if object.state.contains(.touched) {
            failures = []
            // A refusal by the class remains valid until the class withdraws it.
            asksClasses = wasRefusedByClass
            defer { asksClasses = true }
            try checkRules(of: object)
            object.watchForChanges()
        }
        add(refused)
        findings[ObjectIdentifier(object)] = failures
        failures = []
    }

    /// Adds the refusals of a class's check that were not found already. A check that validates the
    /// object itself throws the broken rules once more.
    mutating func add(_ refusals: [ValidationFailure]) {
        failures += refusals.filter { !failures.contains($0) && !denials.contains($0) }
    }

    /// Calls the class's check of an object, and returns its refusals. Returns an empty array if the
    /// class has no check, or if the check is already running.
    mutating func refusals(
        of object: ManagedObject, for operation: SaveOperation
    ) -> [ValidationFailure] {
        guard let check = object.kind.hooks.checkObject,
            object.state.insert(.checking).inserted
        else { return [] }
        defer { object.state.remove(.checking) }
        let known = failures
        defer { failures = known }
        failures = []
        callHook(object) { try check($0, operation) }
        return failures
    }

    private mutating func checkRules(of object: ManagedObject) throws(GraphError) {
        if object.isInserted, !object.isDeleted { return try checkAll(object) }
        if object.isUpdated { try checkChanged(object) }
    }
}

extension ManagedObject {
    /// The operation that a save performs on the object, or `nil` if a save ignores the object.
    fileprivate final var operation: SaveOperation? {
        if isInserted, !isDeleted { return .insertion }
        if isUpdated { return .update }
        return awaitsDeletion && !isInserted ? .deletion : nil
    }
}
