import Cairn

/// A change that one program makes in its context. Numbers identify objects.
package enum SharedEdit: Hashable, Codable, Sendable {
    /// Inserts an object. `links` are to-one relationships to set at once, because they are required.
    case insert(Int, entity: String, store: Int?, links: [String: Int])
    case set(Int, attribute: String, Int64)
    case setOne(Int, relationship: String, Int?)
    case add(Int, relationship: String, Int)
    case remove(Int, relationship: String, Int)
    /// Moves the first member of an ordered relationship to the end.
    case rotate(Int, relationship: String)
    case delete(Int)
    /// Moves an object, and what it owns, to another store.
    case move(Int, store: Int)
    /// Reads the values of an object.
    case read(Int)
    /// Reads the IDs of the members of a relationship.
    case readMembers(Int, relationship: String)
    /// Fetches all objects of an entity.
    case fetch(entity: String)
}

/// What a program is to do.
package enum EditorRequest: Codable, Sendable {
    /// Edits the newest child or, if `inRoot`, the context that saves to the store.
    case edit([SharedEdit], uris: [Int: String], inRoot: Bool)
    case save(ConflictPolicy)
    case beginChild, saveChild, dropChild
    case reset, rollback, refreshAll
    /// Releases all objects, so that those without changes become faults.
    case forget
}

/// An object in a message between programs: its number if the sender knows it, or else its URI.
package enum SharedReference: Hashable, Codable, Sendable, CustomStringConvertible {
    case number(Int)
    case uri(String)

    package var description: String {
        switch self {
        case .number(let number): "\(number)"
        case .uri(let uri): String(uri.suffix(12))
        }
    }
}

/// A value in a message between programs.
package enum SharedValue: Hashable, Codable, Sendable, CustomStringConvertible {
    case null
    case integer(Int64)
    case object(SharedReference)

    package var description: String {
        switch self {
        case .null: "nil"
        case .integer(let integer): "\(integer)"
        case .object(let reference): "object \(reference)"
        }
    }
}

/// An object that a save is going to change.
package struct SharedChange: Hashable, Codable, Sendable {
    package enum Kind: String, Hashable, Codable, Sendable { case inserted, updated, deleted }

    package var object: SharedReference
    package var kind: Kind
    /// The attributes and to-one relationships that differ from the stored ones.
    package var values: [String: SharedValue]
}

/// An object as a context shows it after a save.
package struct ShownObject: Hashable, Codable, Sendable {
    package var object: SharedReference
    package var version: Int64
    package var values: [String: SharedValue]
}

/// A conflict that a merge policy was asked to resolve.
package struct SharedConflict: Hashable, Codable, Sendable {
    package var object: SharedReference
    /// The values that the context had read.
    package var read: [String: SharedValue]
    package var newVersion: Int64
}

/// An error that a program caught.
package struct SharedRefusal: Hashable, Codable, Sendable {
    /// The name of the case of `GraphError`, such as `mergeConflicts`.
    package var kind: String
    package var code: Int
    /// The objects that the error names.
    package var objects: [SharedReference]
    package var text: String
}

/// The answer of a program.
package struct EditorReply: Codable, Sendable {
    /// For each edit: `nil` if it was made, or why it was not.
    package var skipped: [String?] = []
    /// The changes of the context before a save.
    package var changes: [SharedChange] = []
    /// The conflicts that the merge policy resolved.
    package var conflicts: [SharedConflict] = []
    /// The objects of the conflicts between references that the merge policy resolved.
    package var references: [SharedReference] = []
    package var shown: [ShownObject] = []
    package var refusal: SharedRefusal?
    /// A difference between the contexts before and after a refused save.
    package var problem: String?
}
