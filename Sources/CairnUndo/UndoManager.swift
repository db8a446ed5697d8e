import CairnThreads

/// An object that undoes and redoes changes.
///
/// It has the interface of Foundation's class of the same name, which is not available on Linux. Each
/// registered action undoes one or more changes. Actions are collected in groups, and a group is undone as a
/// whole. The actions that are registered while a group is undone form the group that redoes it.
///
/// ```swift
/// undoManager.beginUndoGrouping()
/// undoManager.setActionName("Rename")
/// try song.setValue("Blue", forKey: "title")
/// undoManager.endUndoGrouping()
/// undoManager.undo()
/// ```
///
/// A context with an undo manager registers an action for each of its events; see
/// ``ManagedObjectContext/undoManager``. One thread at a time may use an undo manager: the thread of
/// the context's turn, or the main queue's.
///
/// - Precondition: ``undo()``, ``redo()`` and ``undoNestedGroup()`` are not called by an action of the
///   manager.
public final class UndoManager {
    // MARK: Settings

    /// Whether all actions that are registered in one turn of the main queue or of a context form one
    /// group. Otherwise, each action outside of a group that the program began is a group of its own.
    public var groupsByEvent = true
    /// The maximum number of groups that can be undone, and also of groups that can be redone. The oldest
    /// groups are dropped first. 0 means no limit.
    public var levelsOfUndo = 0 { didSet { trim() } }
    /// The maximum number of changes of contexts that can be undone, and also of changes that can be
    /// redone. A changed value, a changed member, an inserted object and a deleted object count as one
    /// change each. The oldest groups are dropped first. 0 means no limit.
    ///
    /// A group with more changes than this cannot be undone. It is dropped together with all older groups
    /// as soon as it exceeds the limit.
    package var changesOfUndo = 0 { didSet { trim() } }

    // MARK: State

    /// Whether ``undo()`` or ``undoNestedGroup()`` is running.
    public private(set) var isUndoing = false
    /// Whether ``redo()`` is running.
    public private(set) var isRedoing = false
    private var undoStack = UndoStack()
    private var redoStack = UndoStack()
    /// The open groups, the outermost first.
    private var openGroups: [UndoGroup] = []
    /// Whether the end of the turn closes the outermost open group.
    private var isEventGroupOpen = false
    private var isEventEndScheduled = false
    private var disabledCount = 0
    private var participants: [WeakParticipant] = []
    private var isCheckpointing = false

    /// Creates a manager without any actions.
    public init() {
        MainQueue.mark()
    }

    private var limits: UndoStack.Limits {
        UndoStack.Limits(groups: levelsOfUndo, changes: changesOfUndo)
    }

    private func trim() {
        undoStack.trim(to: limits)
        redoStack.trim(to: limits)
    }

    // MARK: Registering

    /// Registers an action that undoes a change. The change was already made or is about to be made.
    ///
    /// Opens the event's group if no group is open. Changes that were undone can no longer be redone,
    /// unless an action that is being undone or redone calls this method.
    ///
    /// - Parameters:
    ///   - target: The object to pass to the handler. It is not retained. If it no longer exists, the
    ///     action does nothing.
    ///   - handler: The action. It is retained until the action is dropped.
    public func registerUndo<Target: AnyObject>(
        withTarget target: Target, handler: @escaping (Target) -> Void
    ) {
        registerUndo(withTarget: target, changeCount: 1, handler: handler)
    }

    /// Registers an action that undoes a number of changes.
    package func registerUndo<Target: AnyObject>(
        withTarget target: Target, changeCount: Int, handler: @escaping (Target) -> Void
    ) {
        guard isUndoRegistrationEnabled else { return }
        let action = UndoAction(target: ObjectIdentifier(target), changeCount: changeCount) {
            [weak target] in
            if let target { handler(target) }
        }
        if !isUndoing, !isRedoing { redoStack.removeAll() }
        if openGroups.isEmpty { openEventGroup() }
        openGroups.last?.append(.action(action))
        abandonOpenGroupsBeyondLimit()
        if !groupsByEvent { closeEventGroup() }
    }

    /// Drops the open groups and all older ones if the open groups have too many changes. Older changes
    /// cannot be undone without first undoing the later ones.
    private func abandonOpenGroupsBeyondLimit() {
        guard changesOfUndo > 0, !isUndoing, !isRedoing,
            openGroups.reduce(0, { $0 + $1.changeCount }) > changesOfUndo
        else { return }
        for group in openGroups { group.abandon() }
        undoStack.removeAll()
    }

    /// Whether actions that are registered now are dropped, because the open group is too large.
    package var abandonsOpenGroup: Bool { openGroups.first?.isAbandoned ?? false }

    /// Whether actions are currently registered; see ``disableUndoRegistration()``.
    public var isUndoRegistrationEnabled: Bool { disabledCount == 0 }

    /// Disables registration until ``enableUndoRegistration()`` has been called the same number of times.
    ///
    /// Changes that contexts made before this call are registered first.
    public func disableUndoRegistration() {
        checkpoint()
        disabledCount += 1
    }

    /// Reverses one call of ``disableUndoRegistration()``. Changes that contexts made in the meantime are
    /// not registered.
    ///
    /// - Precondition: Registration is disabled.
    public func enableUndoRegistration() {
        precondition(
            disabledCount > 0,
            "undo registration is already enabled; call disableUndoRegistration first")
        checkpoint()
        disabledCount -= 1
    }

    // MARK: Grouping

    /// The number of open groups, each nested in the previous one.
    public var groupingLevel: Int { openGroups.count }

    /// Opens a group, nested in the current open group if there is one.
    public func beginUndoGrouping() {
        checkpoint()
        if openGroups.isEmpty, groupsByEvent, !isUndoing, !isRedoing { openEventGroup() }
        open(UndoGroup())
    }

    /// Closes the group that was opened last. A group without actions is dropped.
    ///
    /// The group includes the changes that contexts have made up to now.
    ///
    /// - Precondition: A group that ``beginUndoGrouping()`` opened is open.
    public func endUndoGrouping() {
        checkpoint()
        precondition(
            openGroups.count > (isEventGroupOpen ? 1 : 0),
            "no undo group is open; call beginUndoGrouping first")
        closeGroup()
    }

    /// Closes the group of the turn, if it is open and does not contain another open group. A group
    /// without actions is dropped.
    ///
    /// Contexts call this at the end of their turns, and the main queue calls it at the end of its own
    /// turns. If a manager is used elsewhere, the program must call it. The group includes the changes
    /// that contexts have made up to now.
    public func endEvent() {
        checkpoint()
        closeEventGroup()
    }

    /// Opens the group of the turn before the first change of an event. A name that is set before the
    /// change is registered is then set for the right group.
    package func beginEvent() {
        if groupsByEvent, openGroups.isEmpty { openEventGroup() }
    }

    private func openEventGroup() {
        isEventGroupOpen = true
        open(UndoGroup())
        guard groupsByEvent, !isEventEndScheduled, endsEventsOnMainQueue else { return }
        isEventEndScheduled = true
        MainQueue.schedule { [weak self] in
            guard let self else { return }
            isEventEndScheduled = false
            // Registering changes would wait for the save. The end of the save ends the event.
            let isSaving = participants.contains { $0.participant?.isSavingInBackground ?? false }
            if !isSaving { endEvent() }
        }
    }

    /// Whether the main queue ends events. Turns of private-queue contexts close the group themselves, on
    /// their own thread.
    private var endsEventsOnMainQueue: Bool {
        MainQueue.isCurrent && participants.allSatisfy { $0.participant?.isOnMainQueue ?? true }
    }

    package func closeEventGroup() {
        if isEventGroupOpen, openGroups.count == 1 { closeGroup() }
    }

    private func open(_ group: UndoGroup) {
        openGroups.append(group)
        UndoNotifications.didOpenGroup.post(from: self) { [:] }
    }

    private func closeGroup() {
        UndoNotifications.willCloseGroup.post(from: self) { [:] }
        let group = openGroups.removeLast()
        if let outer = openGroups.last {
            outer.append(.group(group))
        } else {
            isEventGroupOpen = false
            if isUndoing {
                redoStack.push(group, within: limits)
            } else {
                undoStack.push(group, within: limits)
            }
        }
        UndoNotifications.didCloseGroup.post(from: self) { [:] }
    }

    // MARK: Undoing

    /// Whether there is a group to undo: a closed group, or this turn's open group.
    public var canUndo: Bool {
        checkpoint()
        return !undoStack.isEmpty || openGroups.contains { !$0.isEmpty }
    }

    /// Whether there is a group to redo.
    public var canRedo: Bool {
        checkpoint()
        return !redoStack.isEmpty
    }

    /// The number of groups that can be undone, one after another.
    public var undoCount: Int { undoStack.count }
    /// The number of groups that can be redone, one after another.
    public var redoCount: Int { redoStack.count }

    /// Undoes the last group, including this turn's open group. Does nothing if there is no group.
    ///
    /// The cost is that of the group's actions, which run from the last to the first.
    ///
    /// - Precondition: No group that ``beginUndoGrouping()`` opened is open within another group.
    public func undo() {
        checkpoint()
        if openGroups.count == 1 { closeGroup() }
        precondition(
            openGroups.isEmpty, "an undo group is still open; call endUndoGrouping before undo")
        undoNestedGroup()
    }

    /// Undoes the last closed group, even if it is nested in the open group. Does nothing if there is no
    /// such group.
    public func undoNestedGroup() {
        checkpoint()
        precondition(
            !isUndoing && !isRedoing, "undo was called by an action that is being undone or redone")
        if openGroups.first?.isEmpty ?? false { closeEventGroup() }
        let nested = openGroups.last?.popLastGroup()
        guard let group = nested ?? (openGroups.isEmpty ? undoStack.pop() : nil) else { return }
        UndoNotifications.willUndo.post(from: self) { [:] }
        isUndoing = true
        run(group)
        isUndoing = false
        UndoNotifications.didUndo.post(from: self) { [:] }
    }

    /// Redoes the group that was undone last. Does nothing if there is no such group.
    ///
    /// - Precondition: No group that ``beginUndoGrouping()`` opened is open.
    public func redo() {
        checkpoint()
        precondition(
            !isUndoing && !isRedoing, "redo was called by an action that is being undone or redone")
        closeEventGroup()
        precondition(
            openGroups.isEmpty, "an undo group is still open; call endUndoGrouping before redo")
        guard let group = redoStack.pop() else { return }
        UndoNotifications.willRedo.post(from: self) { [:] }
        isRedoing = true
        run(group)
        isRedoing = false
        UndoNotifications.didRedo.post(from: self) { [:] }
    }

    /// Runs a group's actions, and collects the actions that they register in a group with the same name.
    private func run(_ group: UndoGroup) {
        let outer = (openGroups, isEventGroupOpen)
        openGroups = []
        isEventGroupOpen = false
        open(UndoGroup(actionName: group.actionName, isDiscardable: group.isDiscardable))
        group.run()
        checkpoint()
        while !openGroups.isEmpty { closeGroup() }
        (openGroups, isEventGroupOpen) = outer
    }

    // MARK: Removing actions

    /// Removes all actions, including those of open groups, and enables registration.
    public func removeAllActions() {
        undoStack.removeAll()
        redoStack.removeAll()
        for group in openGroups { group.removeAll() }
        disabledCount = 0
    }

    /// Removes the actions of a target.
    ///
    /// The time is proportional to the number of all actions.
    public func removeAllActions(withTarget target: AnyObject) {
        undoStack.removeActions(of: target)
        redoStack.removeActions(of: target)
        for group in openGroups { group.removeActions(of: target) }
    }

    // MARK: Names

    /// Sets the name of the last group for menus. The last group is the open group, or the group that was
    /// closed last.
    ///
    /// A context opens the group of the turn with its first change. The name can therefore be set at any
    /// time after the first change, whether or not the event has ended. A group that receives no actions
    /// is dropped together with its name.
    public func setActionName(_ name: String) {
        groupToDescribe?.actionName = name
    }

    /// Sets whether the effect of the last group may be discarded without asking the user.
    public func setActionIsDiscardable(_ isDiscardable: Bool) {
        groupToDescribe?.isDiscardable = isDiscardable
    }

    private var groupToDescribe: UndoGroup? {
        // Each event is a separate group, which is opened when it is registered.
        if !groupsByEvent, openGroups.isEmpty { checkpoint() }
        return openGroups.first ?? undoStack.last
    }

    private var groupToUndo: UndoGroup? { openGroups.first { !$0.isEmpty } ?? undoStack.last }

    /// The name of the action that ``undo()`` undoes. Empty if it has no name.
    public var undoActionName: String { groupToUndo?.actionName ?? "" }
    /// The name of the action that ``redo()`` redoes. Empty if it has no name.
    public var redoActionName: String { redoStack.last?.actionName ?? "" }
    /// Whether the effect of the action that ``undo()`` undoes may be discarded without asking the user.
    public var undoActionIsDiscardable: Bool { groupToUndo?.isDiscardable ?? false }
    /// Whether the effect of the action that ``redo()`` redoes may be discarded without asking the user.
    public var redoActionIsDiscardable: Bool { redoStack.last?.isDiscardable ?? false }
    /// The title of the undo menu item, such as “Undo” or “Undo Rename”.
    public var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
    /// The title of the redo menu item, such as “Redo” or “Redo Rename”.
    public var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// Returns the title of the menu item that undoes an action with a name.
    public func undoMenuTitle(forUndoActionName name: String) -> String {
        name.isEmpty ? "Undo" : "Undo \(name)"
    }

    /// Returns the title of the menu item that redoes an action with a name.
    public func redoMenuTitle(forUndoActionName name: String) -> String {
        name.isEmpty ? "Redo" : "Redo \(name)"
    }

    // MARK: Participants

    private struct WeakParticipant {
        weak var participant: (any UndoParticipant)?
    }

    /// Adds a participant, whose pending changes are registered whenever it matters which group they
    /// belong to.
    package func add(_ participant: any UndoParticipant) {
        participants.removeAll { $0.participant == nil }
        participants.append(WeakParticipant(participant: participant))
    }

    package func remove(_ participant: any UndoParticipant) {
        participants.removeAll { $0.participant == nil || $0.participant === participant }
    }

    /// Registers all changes that were made so far.
    private func checkpoint() {
        guard !isCheckpointing else { return }
        isCheckpointing = true
        for participant in participants { participant.participant?.registerPendingChanges() }
        isCheckpointing = false
        UndoNotifications.checkpoint.post(from: self) { [:] }
    }
}
