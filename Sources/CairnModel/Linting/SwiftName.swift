/// Checks how names of a model can be used in generated Swift code.
package enum SwiftName {
    /// The names of the properties of all managed objects, which a class of an entity cannot have once more. A
    /// test compares them with the source code.
    package static let members: Set<String> = [
        "description", "entity", "hasChanges", "hasPersistentChangedValues", "hashValue",
        "isDeleted",
        "isFault", "isInserted", "isUpdated", "managedObjectContext", "objectID",
        "_predicateExpression", "rowVersion",
    ]

    /// Other names that Core Data's objects or the language reserve.
    private static let reservedElsewhere: Set<String> = [
        "debugDescription", "hash", "superclass", "faultingState", "init", "class", "self",
        "context", "zone", "isProxy", "validate",
    ]

    /// Whether a property with this name would hide a property of all managed objects.
    static func isReserved(_ name: String) -> Bool {
        members.contains(name) || reservedElsewhere.contains(name)
    }

    /// Whether a class may have this name. As in Xcode, it must not begin with a lower-case letter.
    static func isType(_ name: String) -> Bool {
        isIdentifier(name) && name.first.map { !$0.isLowercase } ?? false
    }

    /// Whether a property may have this name. As in Xcode, it must not begin with an upper-case letter.
    static func isProperty(_ name: String) -> Bool {
        isIdentifier(name) && name.first.map { !$0.isUppercase } ?? false
    }

    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.first, first.isLetter || first == "_" else { return false }
        return name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }
}
