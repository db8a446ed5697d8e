import CairnTestSupport
import Foundation
import Testing

@testable import CairnUndo

@Suite struct `An undo manager` {
    private let manager = UndoManager()
    private let counter = Counter()

    /// Sets a number and registers an action that restores the previous number.
    private final class Counter {
        private(set) var value = 0

        func set(_ new: Int, _ manager: UndoManager) {
            let old = value
            manager.registerUndo(withTarget: self) { [unowned manager] in $0.set(old, manager) }
            value = new
        }
    }

    private func turn(_ values: Int...) {
        for value in values { counter.set(value, manager) }
        manager.endEvent()
    }

    @Test func `undoes and redoes`() {
        turn(1)

        manager.undo()
        let undone = counter.value
        manager.redo()

        #expect(undone == 0)
        #expect(counter.value == 1)
    }

    @Test func `undoes everything that one turn did`() {
        turn(1, 2)
        turn(3, 4)

        manager.undo()

        #expect(counter.value == 2)
        #expect(manager.undoCount == 1)
        #expect(manager.redoCount == 1)
    }

    @Test func `closes the turn's group automatically on the main queue`() async {
        let groups = await Task { @MainActor in
            let manager = UndoManager()
            let counter = Counter()
            counter.set(1, manager)
            counter.set(2, manager)
            let levels = [manager.groupingLevel]
            // Waits until after the block that opening the group enqueued on the main queue.
            await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
            return levels + [manager.groupingLevel, manager.undoCount]
        }.value

        #expect(groups == [1, 0, 1])
    }

    @Test func `keeps each action separate if it does not group by event`() {
        manager.groupsByEvent = false
        turn(1, 2, 3)

        manager.undo()

        #expect(counter.value == 2)
        #expect(manager.undoCount == 2)
    }

    @Test func `undoes a manually begun group as one`() {
        manager.groupsByEvent = false
        manager.beginUndoGrouping()
        turn(1, 2)
        manager.beginUndoGrouping()
        turn(3)
        manager.endUndoGrouping()
        manager.endUndoGrouping()

        manager.undo()
        let undone = counter.value
        manager.redo()

        #expect(undone == 0)
        #expect(counter.value == 3)
    }

    @Test func `undoes a nested group within an open one`() {
        manager.groupsByEvent = false
        manager.beginUndoGrouping()
        turn(1)
        manager.beginUndoGrouping()
        turn(2, 3)
        manager.endUndoGrouping()

        manager.undoNestedGroup()
        let undone = counter.value
        manager.endUndoGrouping()
        manager.undo()

        #expect(undone == 1)
        #expect(counter.value == 0)
    }

    @Test func `drops a group without actions`() {
        manager.beginUndoGrouping()
        manager.endUndoGrouping()
        manager.endEvent()

        #expect(!manager.canUndo)
        #expect(manager.groupingLevel == 0)
    }

    @Test func `clears the redo stack when something else is done`() {
        turn(1)
        manager.undo()
        let couldRedo = manager.canRedo

        turn(5)

        #expect(couldRedo)
        #expect(!manager.canRedo)
    }

    @Test func `undoes and redoes any number of times`() {
        turn(1)
        turn(2)

        var seen: [Int] = []
        for _ in 0..<3 {
            manager.undo()
            manager.undo()
            seen.append(counter.value)
            manager.redo()
            manager.redo()
            seen.append(counter.value)
        }

        #expect(seen == [0, 2, 0, 2, 0, 2])
    }

    @Test func `does nothing if there is nothing to undo`() {
        manager.undo()
        manager.redo()

        #expect(!manager.canUndo)
        #expect(!manager.canRedo)
    }

    @Test func `keeps as many groups as its limit allows`() {
        manager.levelsOfUndo = 2
        for value in 1...4 { turn(value) }

        for _ in 1...4 { manager.undo() }

        #expect(counter.value == 2)
    }

    @Test func `drops the oldest groups when its limit is lowered`() {
        for value in 1...4 { turn(value) }

        manager.levelsOfUndo = 1

        #expect(manager.undoCount == 1)
    }

    @Test func `registers nothing while registration is disabled, even when nested`() {
        manager.disableUndoRegistration()
        manager.disableUndoRegistration()
        turn(1)
        manager.enableUndoRegistration()
        turn(2)
        let wasEnabled = manager.isUndoRegistrationEnabled
        manager.enableUndoRegistration()
        turn(3)

        #expect(!wasEnabled)
        #expect(manager.undoCount == 1)
    }

    @Test func `knows whether it is undoing or redoing`() {
        var seen: [[Bool]] = []
        func register() {
            manager.registerUndo(withTarget: counter) { [manager] _ in
                seen.append([manager.isUndoing, manager.isRedoing])
                register()
            }
        }
        register()

        manager.undo()
        manager.redo()

        #expect(seen == [[true, false], [false, true]])
        #expect(!manager.isUndoing && !manager.isRedoing)
    }

    @Test func `names the next actions to undo and redo`() {
        manager.setActionName("nothing to name")
        turn(1)
        manager.setActionName("Rename")
        let before = [manager.undoMenuItemTitle, manager.redoMenuItemTitle]

        manager.undo()

        #expect(before == ["Undo Rename", "Redo"])
        #expect(manager.undoActionName.isEmpty)
        #expect(manager.redoMenuItemTitle == "Redo Rename")
    }

    @Test func `names a group after its nested group`() {
        manager.beginUndoGrouping()
        counter.set(1, manager)
        manager.setActionName("Move")
        manager.endUndoGrouping()
        manager.endEvent()

        #expect(manager.undoActionName == "Move")
    }

    @Test func `reports which actions are discardable`() {
        turn(1)
        manager.setActionIsDiscardable(true)
        let before = manager.undoActionIsDiscardable

        manager.undo()

        #expect(before)
        #expect(manager.redoActionIsDiscardable)
    }

    @Test func `removes the actions of one target and keeps the others`() {
        let other = Counter()
        counter.set(1, manager)
        other.set(1, manager)
        manager.endEvent()

        manager.removeAllActions(withTarget: counter)
        manager.undo()

        #expect(counter.value == 1)
        #expect(other.value == 0)
    }

    @Test func `removes all actions`() {
        turn(1)
        manager.undo()
        turn(2)
        counter.set(3, manager)

        manager.removeAllActions()

        #expect(!manager.canUndo)
        #expect(!manager.canRedo)
    }

    @Test func `does not hold its targets, and skips those that are gone`() {
        weak var target: Counter?
        do {
            let short = Counter()
            target = short
            short.set(1, manager)
        }

        manager.undo()

        #expect(target == nil)
    }

    @Test func `posts notifications when it opens and closes groups, undoes and redoes`() {
        let names = [
            UndoManager.didOpenUndoGroupNotification, UndoManager.willCloseUndoGroupNotification,
            UndoManager.didCloseUndoGroupNotification, UndoManager.willUndoChangeNotification,
            UndoManager.didUndoChangeNotification, UndoManager.willRedoChangeNotification,
            UndoManager.didRedoChangeNotification,
        ]
        let log = NotificationLog(names, from: manager)
        let (open, willClose, didClose) = (names[0], names[1], names[2])

        turn(1)
        manager.undo()
        manager.redo()

        #expect(
            log.names == [
                open, willClose, didClose,
                names[3], open, willClose, didClose, names[4],
                names[5], open, willClose, didClose, names[6],
            ])
    }

    @Test func `of 100,000 groups undoes all and redoes all`() {
        for value in 1...100_000 { turn(value) }

        while manager.canUndo { manager.undo() }
        let undone = counter.value
        while manager.canRedo { manager.redo() }

        #expect(undone == 0)
        #expect(counter.value == 100_000)
    }
}
