import CairnModel

/// What the saves of a context have in common: its settings for them, and the save that is under way.
final class SavingState {
    /// What becomes of a save that meets changes of others.
    var mergePolicy: any MergePolicy = .error
    /// The author of changes, for the store's history.
    var author: String?
    /// The store of each new object that was given one by hand.
    var assignments = ObjectAssignments()
    /// How many saves the context has made, to find out whether there was one meanwhile.
    private(set) var count = 0
    /// The save whose stores are written on another thread. `nil` if there is none.
    var background: BackgroundSave?

    /// Whether an attempt of a background save is under way.
    var isSavingInBackground: Bool { background?.attempt != nil }

    /// Notes that a save was made.
    func noteSave() { count += 1 }
}
