import CairnModel
import CairnStack
import Foundation

/// Checks the values that a save would write against the model's rules, and collects all violations.
struct Validator {
    let denials: [ValidationFailure]
    var failures: [ValidationFailure] = []
    /// Whether the classes' checks of single values are called.
    var asksClasses = true
    /// Whether a class's check of a single value has refused a value.
    var wasRefusedByClass = false

    /// - Parameter denials: The violations that the delete rules have already found.
    init(_ denials: [ValidationFailure] = []) {
        self.denials = denials
    }

    /// Checks all objects with changes. An object that another object's hook changes after its own check
    /// is checked again.
    ///
    /// - Throws: `.validation` with all violations; `.hooksNeverSettle`; `.store` if the members of a
    ///   relationship must be counted and cannot be fetched.
    mutating func check(_ context: ManagedObjectContext) throws(GraphError) {
        if context.kinds.contains(where: \.hooks.validates) {
            try checkUntilSettled(context)
        } else {
            try check(context.tracker.objects)
        }
        try finish()
    }

    private mutating func check(_ objects: some Sequence<ManagedObject>) throws(GraphError) {
        for object in objects where object.isInserted && !object.isDeleted { try checkAll(object) }
        for object in objects where object.isUpdated { try checkChanged(object) }
    }

    // MARK: Rules

    /// Checks all values and relationships, for a new object.
    mutating func checkAll(_ object: ManagedObject) throws(GraphError) {
        let rules = object.kind.rules
        let isFilled = object.overlay?.hasValues(at: rules.requiredSlots) == true
        for attribute in isFilled ? rules.demanding : rules.attributes {
            try check(object, attribute)
        }
        for binding in rules.relationships { try check(object, binding) }
    }

    /// Checks the changed values and relationships. Stored values are not checked again: they were
    /// checked when they were saved, or were not saved by this context.
    mutating func checkChanged(_ object: ManagedObject) throws(GraphError) {
        guard let overlay = object.overlay else { return }
        let rules = object.kind.rules
        let isFilled = !overlay.hasNull(at: rules.requiredSlots)
        for attribute in isFilled ? rules.demanding : rules.attributes {
            if let slot = attribute.rowSlot, !overlay.dirty.contains(slot) { continue }
            try check(object, attribute)
        }
        for binding in rules.relationships {
            if let slot = binding.storage.rowSlot, !overlay.dirty.contains(slot) { continue }
            if binding.isToMany, !object.knownMembers(binding).hasChanges { continue }
            try check(object, binding)
        }
    }

    /// - Throws: `.validation` if a rule is broken.
    func finish() throws(GraphError) {
        let all = denials + failures
        guard all.isEmpty else { throw .validation(all) }
    }

    private mutating func check(
        _ object: ManagedObject, _ rules: EntityRules.AttributeRules
    ) throws(GraphError) {
        let value = try currentValue(of: rules, in: object)
        guard let changed = asked(value, for: rules.binding, of: object) else {
            return apply(rules, to: value, object)
        }
        apply(rules, to: changed, object)
        if changed != value { try object.set(changed, of: rules.binding) }
    }

    /// Returns the current value of an attribute. If the value is new or changed, it is in the overlay,
    /// and the row is not read.
    @inline(__always) private func currentValue(
        of rules: EntityRules.AttributeRules, in object: ManagedObject
    ) throws(GraphError) -> Value {
        if let slot = rules.rowSlot, let value = object.overlay?.value(at: slot) { return value }
        return try object.value(of: rules.binding)
    }

    /// Checks a value for an attribute, and returns the value with the changes of the class's hook.
    mutating func checked(
        _ value: Value, for binding: AttributeBinding, of object: ManagedObject
    ) -> Value {
        let checked = asked(value, for: binding, of: object) ?? value
        if let rules = object.kind.rules.rules(of: binding.name) {
            apply(rules, to: checked, object)
        }
        return checked
    }

    /// Calls the class's hook. Returns the value with the hook's changes, or `nil` if the hook did not
    /// change it.
    @inline(__always) private mutating func asked(
        _ value: Value, for binding: AttributeBinding, of object: ManagedObject
    ) -> Value? {
        guard asksClasses, let check = object.kind.hooks.checkValue else { return nil }
        var checked = value
        let known = failures.count
        callHook(object, binding.name) { try check($0, &checked, binding.name) }
        if failures.count > known { wasRefusedByClass = true }
        if checked.isIdentical(to: value) { return nil }
        guard checked.fits(binding.type), checked.hasElements(of: binding.attribute) else {
            report(
                object, binding.name, ErrorCode.refusedValue,
                "checkValue(_:forKey:) of the class changed the value to \(checked.typeDescription),"
                    + " but the attribute has the type \(binding.type)")
            return nil
        }
        return checked
    }

    @inline(__always) private mutating func apply(
        _ rules: EntityRules.AttributeRules, to value: Value, _ object: ManagedObject
    ) {
        if value.isNull {
            guard rules.isRequired else { return }
            report(
                object, rules.binding.name, ErrorCode.missingValue, "a value is required")
        } else if rules.hasRules {
            for rule in rules.rules {
                guard let violation = rule.violation(by: value) else { continue }
                report(object, rules.binding.name, rule.code, violation)
            }
        }
    }

    private mutating func check(
        _ object: ManagedObject, _ binding: RelationshipBinding
    ) throws(GraphError) {
        let count =
            binding.isToMany
            ? try object.loadedMembers(binding).count
            : try object.destinationID(binding) == nil ? 0 : 1
        check(count: count, of: binding, in: object)
    }

    /// Checks the number of a relationship's destinations.
    mutating func check(
        count: Int, of binding: RelationshipBinding, in object: ManagedObject
    ) {
        let description = binding.relationship.description
        guard binding.isToMany else {
            if count == 0, !description.isOptional {
                report(
                    object, binding.name, ErrorCode.missingValue, "a destination is required")
            }
            return
        }
        // An optional relationship may be empty, whatever its bounds.
        let fewest = description.minimumCount
        if count < fewest, count > 0 || !description.isOptional {
            report(
                object, binding.name, ErrorCode.tooFewMembers,
                "the relationship must have at least \(fewest.counted("member"))")
        }
        if description.maximumCount > 0, count > description.maximumCount {
            report(
                object, binding.name, ErrorCode.tooManyMembers,
                "the relationship must have at most \(description.maximumCount.counted("member"))")
        }
    }

    @inline(__always) mutating func callHook(
        _ object: ManagedObject, _ property: String? = nil,
        _ hook: (ManagedObject) throws -> Void
    ) {
        do {
            try hook(object)
        } catch {
            note(error, object, property)
        }
    }

    private mutating func note(_ error: any Error, _ object: ManagedObject, _ property: String?) {
        do {
            throw error
        } catch let failure as ValidationFailure {
            failures.append(failure)
        } catch GraphError.validation(let all) {
            failures += all
        } catch {
            failures.append(
                ValidationFailure(
                    code: ErrorCode.refusedValue, object: object.objectID,
                    entity: object.entity.name, property: property, rule: "\(error)"))
        }
    }

    private mutating func report(
        _ object: ManagedObject, _ property: String, _ code: Int, _ rule: String
    ) {
        failures.append(
            ValidationFailure(
                code: code, object: object.objectID, entity: object.entity.name,
                property: property, rule: rule))
    }
}

extension Value {
    /// Returns whether both values have the same bits and are therefore equal. If the result is `false`,
    /// the values may still be equal.
    ///
    /// This is a cheap way to detect that a hook did not change a value.
    @inline(__always) fileprivate func isIdentical(to other: Value) -> Bool {
        withUnsafePointer(to: self) { left in
            // The length is a constant, so this compiles to no call.
            withUnsafePointer(to: other) { memcmp(left, $0, MemoryLayout<Value>.size) == 0 }
        }
    }
}

/// The part of a save's validation that calls the hooks that check whole objects.
extension Validator {
    /// The violations that the check of each object found, by the object's identity.
    private typealias Findings = [ObjectIdentifier: [ValidationFailure]]

    mutating func checkUntilSettled(_ context: ManagedObjectContext) throws(GraphError) {
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
