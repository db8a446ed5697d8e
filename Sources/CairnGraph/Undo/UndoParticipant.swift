/// An object that registers changes some time after they were made.
protocol UndoParticipant: AnyObject {
    /// Whether its turns are those of the main queue.
    var isOnMainQueue: Bool { get }
    /// Whether a background save of it is under way.
    var isSavingInBackground: Bool { get }
    /// Registers what was changed so far.
    func registerPendingChanges()
}
