/// Undoes and redoes changes.
///
/// Has the interface of Foundation's class of the same name, which Linux does not have. Each
/// registered action undoes one or more changes. Actions are collected in groups, and a group is
/// undone as a whole. The actions that are registered while a group is undone become the group that
/// redoes it.
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
/// - Precondition: of ``undo()``, ``redo()`` and ``undoNestedGroup()``, that no action of the manager
///   is running.
public final class UndoManager {
    // MARK: What users set

    /// Whether all actions that are registered in one turn of the main queue or of a context form one
    /// group. Otherwise, each action outside of a group that the program began is a group of its own.
    public var groupsByEvent = true
    /// The maximum number of groups that are kept to be undone, and that are kept to be redone. The
    /// oldest groups are dropped first. 0 means no limit.
    public var levelsOfUndo = 0 { didSet { trim() } }
    /// The maximum number of changes of contexts that are kept to be undone, and that are kept to be
    /// redone. A changed value, a member, an inserted and a deleted object are one change each. The
    /// oldest groups are dropped first. 0 means no limit.
    ///
    /// A group with more changes than this cannot be undone: it is dropped together with all older
    /// groups as soon as it exceeds the limit.
    public var changesOfUndo = 0 { didSet { trim() } }

    // MARK: State

    /// Whether ``undo()`` or ``undoNestedGroup()`` is running.
    public private(set) var isUndoing = false
    /// Whether ``redo()`` is running.
    public private(set) var isRedoing = false
    private var undoStack = UndoStack()
    private var redoStack = UndoStack()
    /// Groups that are not closed yet, the outermost first.
    private var openGroups: [UndoGroup] = []
    /// Whether the outermost open group is to be closed by the end of the turn.
    private var isEventGroupOpen = false
    private var isEventEndScheduled = false
    private var disabledCount = 0
    private var participants: [WeakParticipant] = []
    private var isCheckpointing = false

    /// Makes a manager with nothing to undo.
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

    /// Registers an action that undoes a change, which was made or is about to be made.
    ///
    /// Opens the group of the event if no group is open. Changes that were undone can no longer be
    /// redone, unless this is called by an action that is being undone or redone.
    ///
    /// - Parameters:
    ///   - target: passed to the handler, and not retained. If it no longer exists, the action does
    ///     nothing.
    ///   - handler: held until the action is dropped.
    public func registerUndo<Target: AnyObject>(
        withTarget target: Target, handler: @escaping (Target) -> Void
    ) {
        registerUndo(withTarget: target, changeCount: 1, handler: handler)
    }

    /// Registers what takes back that many changes.
    func registerUndo<Target: AnyObject>(
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

    /// What was changed before cannot be taken back once a later change cannot be.
    private func abandonOpenGroupsBeyondLimit() {
        guard changesOfUndo > 0, !isUndoing, !isRedoing,
            openGroups.reduce(0, { $0 + $1.changeCount }) > changesOfUndo
        else { return }
        for group in openGroups { group.abandon() }
        undoStack.removeAll()
    }

    /// Whether what is registered now is not kept, because the open group is too large.
    var abandonsOpenGroup: Bool { openGroups.first?.isAbandoned ?? false }

    /// Whether actions are registered now; see ``disableUndoRegistration()``.
    public var isUndoRegistrationEnabled: Bool { disabledCount == 0 }

    /// Has nothing registered until ``enableUndoRegistration()`` was called as often.
    ///
    /// Changes that contexts made before are registered first.
    public func disableUndoRegistration() {
        checkpoint()
        disabledCount += 1
    }

    /// Takes one ``disableUndoRegistration()`` back. Changes that contexts made meanwhile are not
    /// registered.
    ///
    /// - Precondition: it was disabled.
    public func enableUndoRegistration() {
        precondition(disabledCount > 0, "undo registration was not disabled; disable it first")
        checkpoint()
        disabledCount -= 1
    }

    // MARK: Grouping

    /// How many groups are open, one within the other.
    public var groupingLevel: Int { openGroups.count }

    /// Opens a group within the one that is open.
    public func beginUndoGrouping() {
        checkpoint()
        if openGroups.isEmpty, groupsByEvent, !isUndoing, !isRedoing { openEventGroup() }
        open(UndoGroup())
    }

    /// Closes the group that was opened last. One without actions is dropped.
    ///
    /// Changes that contexts made before are in it.
    ///
    /// - Precondition: a group is open that ``beginUndoGrouping()`` opened.
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
    /// Contexts call this at the end of their turns, and the main queue calls it at the end of its own.
    /// Call it yourself if a manager is used elsewhere. Earlier changes of contexts are in the group.
    public func endEvent() {
        checkpoint()
        closeEventGroup()
    }

    /// Opens the group of the turn before the first change of an event, so that what is said of
    /// the group before the change is registered is said of the right one.
    func beginEvent() {
        if groupsByEvent, openGroups.isEmpty { openEventGroup() }
    }

    private func openEventGroup() {
        isEventGroupOpen = true
        open(UndoGroup())
        guard groupsByEvent, !isEventEndScheduled, endsEventsOnMainQueue else { return }
        isEventEndScheduled = true
        EventEnd.schedule { [weak self] in
            guard let self else { return }
            isEventEndScheduled = false
            // Registering changes would wait for the save. Its end ends the event.
            let isSaving = participants.contains { $0.participant?.isSavingInBackground ?? false }
            if !isSaving { endEvent() }
        }
    }

    /// Turns of private-queue contexts close the group themselves, on whichever thread they are.
    private var endsEventsOnMainQueue: Bool {
        MainQueue.isCurrent && participants.allSatisfy { $0.participant?.isOnMainQueue ?? true }
    }

    func closeEventGroup() {
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

    /// Whether there is a group to undo: a closed one, or the open one of this turn.
    public var canUndo: Bool {
        checkpoint()
        return !undoStack.isEmpty || openGroups.contains { !$0.isEmpty }
    }

    /// Whether there is a group to redo.
    public var canRedo: Bool {
        checkpoint()
        return !redoStack.isEmpty
    }

    /// How many groups can be undone, one after the other.
    public var undoCount: Int { undoStack.count }
    /// How many groups can be redone, one after the other.
    public var redoCount: Int { redoStack.count }

    /// Undoes the last group, including the open group of this turn. Does nothing if there is no group.
    ///
    /// The cost is that of the group's actions, which run from the last to the first.
    ///
    /// - Precondition: no group that ``beginUndoGrouping()`` opened is open within another one.
    public func undo() {
        checkpoint()
        if openGroups.count == 1 { closeGroup() }
        precondition(openGroups.isEmpty, "an undo group is open; call endUndoGrouping before undo")
        undoNestedGroup()
    }

    /// Takes back the last group that was closed, within the open one too.
    public func undoNestedGroup() {
        checkpoint()
        precondition(!isUndoing && !isRedoing, "undo was called by an action that is undone")
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
    /// - Precondition: no group that ``beginUndoGrouping()`` opened is open.
    public func redo() {
        checkpoint()
        precondition(!isUndoing && !isRedoing, "redo was called by an action that is undone")
        closeEventGroup()
        precondition(openGroups.isEmpty, "an undo group is open; call endUndoGrouping before redo")
        guard let group = redoStack.pop() else { return }
        UndoNotifications.willRedo.post(from: self) { [:] }
        isRedoing = true
        run(group)
        isRedoing = false
        UndoNotifications.didRedo.post(from: self) { [:] }
    }

    /// Runs a group's actions, and gathers what they register in a group with the same name.
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

    // MARK: Forgetting

    /// Drops all actions, the open groups' too, and enables registration.
    public func removeAllActions() {
        undoStack.removeAll()
        redoStack.removeAll()
        for group in openGroups { group.removeAll() }
        disabledCount = 0
    }

    /// Drops the actions of a target.
    ///
    /// Costs a look at every action.
    public func removeAllActions(withTarget target: AnyObject) {
        undoStack.removeActions(of: target)
        redoStack.removeActions(of: target)
        for group in openGroups { group.removeActions(of: target) }
    }

    // MARK: Names

    /// Names what the last group does, for menus: the open one, or the one that was closed last.
    ///
    /// A context opens the group of the turn with its first change, so the name may be given after
    /// that, before or after the event ends. A group that stays without actions takes its name along.
    public func setActionName(_ name: String) {
        groupToDescribe?.actionName = name
    }

    /// Says that the user may lose what the last group does without being asked.
    public func setActionIsDiscardable(_ isDiscardable: Bool) {
        groupToDescribe?.isDiscardable = isDiscardable
    }

    private var groupToDescribe: UndoGroup? {
        // Each event is a group of its own, which is not open before it is registered.
        if !groupsByEvent, openGroups.isEmpty { checkpoint() }
        return openGroups.first ?? undoStack.last
    }

    private var groupToUndo: UndoGroup? { openGroups.first { !$0.isEmpty } ?? undoStack.last }

    /// The name of the action that ``undo()`` undoes. Empty if it has no name.
    public var undoActionName: String { groupToUndo?.actionName ?? "" }
    /// The name of the action that ``redo()`` redoes. Empty if it has no name.
    public var redoActionName: String { redoStack.last?.actionName ?? "" }
    /// Whether the user may lose what ``undo()`` takes back without being asked.
    public var undoActionIsDiscardable: Bool { groupToUndo?.isDiscardable ?? false }
    /// Whether the user may lose what ``redo()`` makes again without being asked.
    public var redoActionIsDiscardable: Bool { redoStack.last?.isDiscardable ?? false }
    /// The title of a menu item: “Undo”, or “Undo Rename”.
    public var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
    /// The title of a menu item: “Redo”, or “Redo Rename”.
    public var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// The title of a menu item that undoes an action of that name.
    public func undoMenuTitle(forUndoActionName name: String) -> String {
        name.isEmpty ? "Undo" : "Undo \(name)"
    }

    /// The title of a menu item that redoes an action of that name.
    public func redoMenuTitle(forUndoActionName name: String) -> String {
        name.isEmpty ? "Redo" : "Redo \(name)"
    }

    // MARK: Participants

    private struct WeakParticipant {
        weak var participant: (any UndoParticipant)?
    }

    /// Has a participant asked for its changes whenever it matters in which group they are.
    func add(_ participant: any UndoParticipant) {
        participants.removeAll { $0.participant == nil }
        participants.append(WeakParticipant(participant: participant))
    }

    func remove(_ participant: any UndoParticipant) {
        participants.removeAll { $0.participant == nil || $0.participant === participant }
    }

    /// Has every change registered that was made so far.
    private func checkpoint() {
        guard !isCheckpointing else { return }
        isCheckpointing = true
        for participant in participants { participant.participant?.registerPendingChanges() }
        isCheckpointing = false
        UndoNotifications.checkpoint.post(from: self) { [:] }
    }
}
