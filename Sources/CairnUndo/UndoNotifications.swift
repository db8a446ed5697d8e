import CairnStack
import Foundation

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

/// Notifications that the manager (their `object`) posts to `NotificationCenter.default`.
///
/// A notification is posted only if some code has requested its name.
extension UndoManager {
    /// Posted after all changes made so far were registered. This happens whenever it matters which group
    /// a change belongs to: when a group begins or ends, and when undo or redo is called or their
    /// availability is queried.
    public static var checkpointNotification: Notification.Name {
        UndoNotifications.checkpoint.observed
    }

    /// Posted after a group was opened.
    public static var didOpenUndoGroupNotification: Notification.Name {
        UndoNotifications.didOpenGroup.observed
    }

    /// Posted before the innermost open group is closed.
    public static var willCloseUndoGroupNotification: Notification.Name {
        UndoNotifications.willCloseGroup.observed
    }

    /// Posted after a group was closed.
    public static var didCloseUndoGroupNotification: Notification.Name {
        UndoNotifications.didCloseGroup.observed
    }

    /// Posted before a group is undone.
    public static var willUndoChangeNotification: Notification.Name {
        UndoNotifications.willUndo.observed
    }

    /// Posted after a group was undone.
    public static var didUndoChangeNotification: Notification.Name {
        UndoNotifications.didUndo.observed
    }

    /// Posted before a group is redone.
    public static var willRedoChangeNotification: Notification.Name {
        UndoNotifications.willRedo.observed
    }

    /// Posted after a group was redone.
    public static var didRedoChangeNotification: Notification.Name {
        UndoNotifications.didRedo.observed
    }
}
