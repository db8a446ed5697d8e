import Foundation

/// Notifications, posted by the manager (their `object`) to `NotificationCenter.default`.
///
/// A kind that nobody has asked for by its name is not posted.
extension UndoManager {
    /// What was changed so far is registered now, because it matters in which group it is: a group
    /// begins or ends, or somebody undoes, redoes, or asks whether that can be done.
    public static var checkpointNotification: Notification.Name {
        UndoNotifications.checkpoint.observed
    }

    /// A group was opened.
    public static var didOpenUndoGroupNotification: Notification.Name {
        UndoNotifications.didOpenGroup.observed
    }

    /// The last open group is about to be closed.
    public static var willCloseUndoGroupNotification: Notification.Name {
        UndoNotifications.willCloseGroup.observed
    }

    /// A group was closed.
    public static var didCloseUndoGroupNotification: Notification.Name {
        UndoNotifications.didCloseGroup.observed
    }

    /// A group is about to be undone.
    public static var willUndoChangeNotification: Notification.Name {
        UndoNotifications.willUndo.observed
    }

    /// A group was undone.
    public static var didUndoChangeNotification: Notification.Name {
        UndoNotifications.didUndo.observed
    }

    /// A group is about to be redone.
    public static var willRedoChangeNotification: Notification.Name {
        UndoNotifications.willRedo.observed
    }

    /// A group was redone.
    public static var didRedoChangeNotification: Notification.Name {
        UndoNotifications.didRedo.observed
    }
}
