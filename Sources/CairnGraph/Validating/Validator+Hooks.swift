import CairnModel

/// The hooks that check whole objects, in a save.
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
            // Hooks may insert and change other objects, which are then checked, too.
            let waiting = context.tracker.objects.filter(\.needsHook)
            if waiting.isEmpty {
                failures = checked.flatMap { findings[ObjectIdentifier($0)] ?? [] }
                return
            }
            for object in waiting where object.isInserted && !object.isDeleted {
                try checkWithHooks(object, &checked, &findings)
            }
            for object in waiting where object.isUpdated {
                try checkWithHooks(object, &checked, &findings)
            }
            for object in waiting where object.awaitsDeletion && !object.isInserted {
                try checkWithHooks(object, &checked, &findings)
            }
        }
        throw SaveHooks.neverSettle("validate", context.tracker.objects.filter(\.needsHook))
    }

    /// Checks an object and calls its hook. What the hook itself changes in the object is checked only
    /// by the model's rules: a hook that sets a modification date would otherwise be called for ever.
    private mutating func checkWithHooks(
        _ object: ManagedObject, _ checked: inout ContiguousArray<ManagedObject>,
        _ findings: inout Findings
    ) throws(GraphError) {
        // The object was checked in this round already, when it was in another state.
        guard object.needsHook else { return }
        if object.beginHook() { checked.append(object) }
        failures = []
        wasRefusedByClass = false
        try checkRules(of: object)
        object.watchForChanges()
        let broken = failures
        failures = []
        callValidationHook(of: object, broken)
        let refused = failures
        failures = broken
        if object.state.contains(.touched) {
            failures = []
            // A refusal of the class stands until the class takes it back.
            asksClasses = wasRefusedByClass
            defer { asksClasses = true }
            try checkRules(of: object)
            object.watchForChanges()
        }
        // A hook that calls `super` is told what was found, and throws it again.
        let added = refused.filter { !failures.contains($0) && !denials.contains($0) }
        findings[ObjectIdentifier(object)] = failures + added
        failures = []
    }

    private mutating func checkRules(of object: ManagedObject) throws(GraphError) {
        if object.isInserted, !object.isDeleted { return try checkAll(object) }
        if object.isUpdated { try checkChanged(object) }
    }

    private mutating func callValidationHook(
        of object: ManagedObject, _ broken: [ValidationFailure]
    ) {
        // The class's hooks are those of `ManagedObject`, which check the rules once more.
        guard object.kind.validates, let context = object.owner else { return }
        defer { context.savingState.ruleFindings = nil }
        if object.isInserted, !object.isDeleted {
            context.savingState.ruleFindings = RuleFindings(object, .insertion, broken)
            callHook(object) { try $0.validateForInsert() }
        } else if object.isUpdated {
            context.savingState.ruleFindings = RuleFindings(object, .update, broken)
            callHook(object) { try $0.validateForUpdate() }
        } else if object.awaitsDeletion, !object.isInserted {
            let denied = denials.filter { $0.object == object.objectID }
            context.savingState.ruleFindings = RuleFindings(object, .deletion, denied)
            callHook(object) { try $0.validateForDelete() }
        }
    }
}

extension ManagedObject {
    /// Checks the object by the model's rules: what its hooks do unless a class overrides them.
    ///
    /// - Throws: `.validation` with every broken rule, `.objectGone`, `.store`, `.wrongThread`.
    final func checkRules(on occasion: RuleFindings.Occasion) throws(GraphError) {
        try checkTurn("validation")
        guard let owner else { throw .objectGone(objectID) }
        if let findings = owner.savingState.ruleFindings, findings.hold(for: self, occasion) {
            guard findings.failures.isEmpty else { throw .validation(findings.failures) }
            return
        }
        guard occasion != .deletion else {
            return try Validator(try DeleteRules(owner).denials(of: [self])).finish()
        }
        var validator = Validator()
        if occasion == .insertion || isInserted {
            try validator.checkAll(self)
        } else {
            try validator.checkChanged(self)
        }
        try validator.finish()
    }
}
