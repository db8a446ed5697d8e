/// An object that registers its changes some time after they were made.
package protocol UndoParticipant: AnyObject {
    /// Whether the participant's turns are those of the main queue.
    var isOnMainQueue: Bool { get }
    /// Whether the participant has a background save in progress.
    var isSavingInBackground: Bool { get }
    /// Registers the changes that were made so far.
    func registerPendingChanges()
}
