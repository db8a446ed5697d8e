/// What names of a model are in the code that is generated for it.
enum SwiftName {
    /// Properties and methods of managed objects in Core Data and in Cairn.
    private static let reserved: Set<String> = [
        "description", "debugDescription", "hash", "hashValue", "superclass", "objectID", "entity",
        "managedObjectContext", "isInserted", "isUpdated", "isDeleted", "isFault", "hasChanges",
        "faultingState", "init", "class", "self", "context", "zone", "isProxy", "validate",
    ]

    /// Whether a property of this name would hide one that every managed object has.
    static func isReserved(_ name: String) -> Bool { reserved.contains(name) }

    /// Whether a class may have this name, as Xcode demands: an upper-case letter first.
    static func isType(_ name: String) -> Bool {
        isIdentifier(name) && name.first.map { !$0.isLowercase } ?? false
    }

    /// Whether a property may have this name, as Xcode demands: a lower-case letter first.
    static func isProperty(_ name: String) -> Bool {
        isIdentifier(name) && name.first.map { !$0.isUppercase } ?? false
    }

    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.first, first.isLetter || first == "_" else { return false }
        return name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }
}
