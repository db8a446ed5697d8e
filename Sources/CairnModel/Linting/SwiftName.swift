/// Checks how names of a model can be used in generated Swift code.
enum SwiftName {
    /// The names of properties and methods of managed objects in Core Data and in Cairn.
    private static let reserved: Set<String> = [
        "description", "debugDescription", "hash", "hashValue", "superclass", "objectID", "entity",
        "managedObjectContext", "isInserted", "isUpdated", "isDeleted", "isFault", "hasChanges",
        "faultingState", "init", "class", "self", "context", "zone", "isProxy", "validate",
    ]

    /// Whether a property with this name would hide a property of all managed objects.
    static func isReserved(_ name: String) -> Bool { reserved.contains(name) }

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
