/// The kind of a node in the graph.
package enum NodeKind: String, Hashable, Sendable, CaseIterable {
    case folder = "Folder"
    case note = "Note"
    /// A note with a class of its own. Its rows are in the table of notes.
    case memo = "Memo"
    case tag = "Tag"
    /// Notes refer to topics, which are in a store of their own.
    case topic = "Topic"

    package var isNote: Bool { self == .note || self == .memo }
}

/// A change that a person could make in an editor.
///
/// Each `Int` selects among the nodes that exist at that moment. An edit therefore remains valid when earlier
/// edits are removed from the sequence. An edit that finds nothing to work on has no effect.
package enum GraphEdit: Hashable, Sendable {
    case insert(NodeKind)
    case setText(Int)
    case setRank(Int)
    /// Moves a note into a folder, to an index.
    case file(note: Int, folder: Int, index: Int)
    /// Changes the order of the notes in a folder.
    case reorder(folder: Int, Int)
    /// Appends a note to a folder, or removes it from that folder, by setting the note's side of the
    /// relationship.
    case refile(note: Int, folder: Int)
    /// Adds a tag to a note, or removes it.
    case toggleTag(note: Int, tag: Int, fromTag: Bool)
    /// Makes a note the cover of a folder, or removes it as the cover.
    case toggleCover(folder: Int, note: Int, fromNote: Bool)
    /// Moves a folder into another folder, possibly itself, or out of that folder.
    case toggleParent(folder: Int, parent: Int, fromParent: Bool)
    /// Makes a note refer to a topic, or to none.
    case toggleTopic(note: Int, topic: Int)
    case delete(Int)
}

/// Determines which side wins if two contexts changed the same object.
package enum ConflictPolicy: String, Hashable, Codable, Sendable, CaseIterable {
    case error, storeTrump, objectTrump, overwrite, rollback
}

/// An event of the current context, which is the newest child, or the context of the store.
package enum GraphEvent: Hashable, Sendable {
    /// Changes that are undone together.
    case edits([GraphEdit])
    case undo, redo
    case save, rollback, reset
    /// Refreshes an object and keeps its changes.
    case refresh(Int)
    case refreshAll
    /// Releases the objects that have no changes, so that they return as faults.
    case forget
    case obtainIDs
    /// Continues in a new child context.
    case beginChild
    /// Saves the child into its parent and continues in the parent.
    case saveChild
    /// Continues in the parent and discards the child's changes.
    case dropChild
    /// Another context inserts, changes or deletes objects and saves. Then the current context saves.
    case elsewhere([Int], ConflictPolicy)
}

extension GraphEvent {
    /// Returns a random sequence of `count` events.
    package static func sequence(_ count: Int, using random: inout some RandomNumberGenerator)
        -> [GraphEvent]
    {
        (0..<count).map { _ in GraphEvent(using: &random) }
    }

    private init(using random: inout some RandomNumberGenerator) {
        func pick() -> Int { Int.random(in: 0..<1000, using: &random) }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<56:
            let count = Int.random(in: 1...4, using: &random)
            self = .edits((0..<count).map { _ in GraphEdit(using: &random) })
        case 56..<64: self = .undo
        case 64..<69: self = .redo
        case 69..<79: self = .save
        case 79..<82: self = .rollback
        case 82: self = .reset
        case 83: self = .refresh(pick())
        case 84: self = .refreshAll
        case 85..<88: self = .forget
        case 88: self = .obtainIDs
        case 89..<92: self = .beginChild
        case 92..<94: self = .saveChild
        case 94: self = .dropChild
        default:
            let policy = ConflictPolicy.allCases.randomElement(using: &random) ?? .error
            self = .elsewhere((0..<3).map { _ in pick() }, policy)
        }
    }
}

extension GraphEdit {
    init(using random: inout some RandomNumberGenerator) {
        func pick() -> Int { Int.random(in: 0..<1000, using: &random) }
        let flag = Bool.random(using: &random)
        switch Int.random(in: 0..<23, using: &random) {
        case 20: self = .reorder(folder: pick(), pick())
        case 21, 22: self = .toggleTopic(note: pick(), topic: pick())
        case 0..<5: self = .insert(NodeKind.allCases.randomElement(using: &random) ?? .note)
        case 5..<7: self = .setText(pick())
        case 7: self = .setRank(pick())
        case 8..<11: self = .file(note: pick(), folder: pick(), index: pick())
        case 11: self = .refile(note: pick(), folder: pick())
        case 12..<15: self = .toggleTag(note: pick(), tag: pick(), fromTag: flag)
        case 15..<17: self = .toggleCover(folder: pick(), note: pick(), fromNote: flag)
        case 17..<19: self = .toggleParent(folder: pick(), parent: pick(), fromParent: flag)
        default: self = .delete(pick())
        }
    }
}
