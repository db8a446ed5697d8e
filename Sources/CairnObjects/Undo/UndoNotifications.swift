import CairnStack

/// The names of the notifications that all undo managers of the process post.
enum UndoNotifications {
    static let checkpoint = ObservableName("CairnUndoManagerCheckpoint")
    static let didOpenGroup = ObservableName("CairnUndoManagerDidOpenUndoGroup")
    static let willCloseGroup = ObservableName("CairnUndoManagerWillCloseUndoGroup")
    static let didCloseGroup = ObservableName("CairnUndoManagerDidCloseUndoGroup")
    static let willUndo = ObservableName("CairnUndoManagerWillUndoChange")
    static let didUndo = ObservableName("CairnUndoManagerDidUndoChange")
    static let willRedo = ObservableName("CairnUndoManagerWillRedoChange")
    static let didRedo = ObservableName("CairnUndoManagerDidRedoChange")
}
