/// What a node of the graph is.
package enum NodeKind: String, Hashable, Sendable, CaseIterable {
    case folder = "Folder"
    case note = "Note"
    /// A note with a class of its own: its rows are in the table of notes.
    case memo = "Memo"
    case tag = "Tag"

    package var isNote: Bool { self == .note || self == .memo }
}

/// One change that a person could make in an editor.
///
/// Each `Int` chooses among what is there at that moment, so an edit stays possible when others
/// before it are taken out of the sequence; one that finds nothing to work on does nothing.
package enum GraphEdit: Hashable, Sendable {
    case insert(NodeKind)
    case setText(Int)
    case setRank(Int)
    /// Puts a note into a folder at an index.
    case file(note: Int, folder: Int, index: Int)
    /// Puts the notes of a folder into another order.
    case reorder(folder: Int, Int)
    /// Puts a note after the others of a folder, or takes it out of that folder; by the note's end.
    case refile(note: Int, folder: Int)
    /// Gives a note a tag, or takes it away.
    case toggleTag(note: Int, tag: Int, fromTag: Bool)
    /// Makes a note the cover of a folder, or takes it away.
    case toggleCover(folder: Int, note: Int, fromNote: Bool)
    /// Puts a folder into another, itself perhaps, or takes it out.
    case toggleParent(folder: Int, parent: Int, fromParent: Bool)
    case delete(Int)
}

/// Which side wins where two contexts changed the same object.
package enum ConflictPolicy: Hashable, Sendable, CaseIterable {
    case error, storeTrump, objectTrump, overwrite, rollback
}

/// One event of the context that is worked in: the newest child, or the one on the store.
package enum GraphEvent: Hashable, Sendable {
    /// Changes that are undone together.
    case edits([GraphEdit])
    case undo, redo
    case save, rollback, reset
    /// Fetches an object again, its changes kept.
    case refresh(Int)
    case refreshAll
    /// Lets go of the objects that have no changes, so that they come back as faults.
    case forget
    case obtainIDs
    /// Goes on in a child context.
    case beginChild
    /// Saves the child into its parent and goes on in the parent.
    case saveChild
    /// Goes on in the parent; what the child did is lost.
    case dropChild
    /// Another context inserts, changes attributes or deletes, and saves; then this one saves.
    case elsewhere([Int], ConflictPolicy)
}

extension GraphEvent {
    /// Makes a sequence of that many events.
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
        switch Int.random(in: 0..<21, using: &random) {
        case 20: self = .reorder(folder: pick(), pick())
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
