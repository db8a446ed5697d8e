import CairnModel

/// The state that a context's saves share: their settings, and the current save.
final class SavingState {
    /// How a save resolves conflicts with the changes of others.
    var mergePolicy: any MergePolicy = .error
    /// The author of changes, which is recorded in the store's history.
    var author: String?
    /// The stores that the program assigned to new objects.
    var assignments = ObjectAssignments()
    /// The number of saves that the context has made. A comparison of two readings shows whether a save
    /// took place in between.
    private(set) var count = 0
    /// The save that is writing to stores on another thread. `nil` if there is no such save.
    var background: BackgroundSave?

    /// Whether an attempt of a background save is running.
    var isSavingInBackground: Bool { background?.attempt != nil }

    /// Notes that a save was made.
    func noteSave() { count += 1 }
}
