/// A registered action.
struct UndoAction {
    /// The identity of the target. It is used only for comparison, because the target may no longer
    /// exist.
    let target: ObjectIdentifier
    /// The number of changes that the action undoes. Its memory grows with this number.
    let changeCount: Int
    let run: () -> Void
}
