import CairnRows
import CairnStore
import CairnThreads

extension CoordinatedSave {
    /// Waits until the save of a single store leads the queue of its store, or until another save has
    /// written it. Does not wait if no other save of the store is under way.
    func turn(
        in queue: GroupSave.Queue, named name: SaveID?
    ) throws(GraphError) -> GroupSave.Queue.Turn {
        let save = saves[0]
        save.request.reporter = changes.watch?.reporter(after: 0)
        do {
            try nameRequests(name)
            let deadline = StoreDeadline.limiting(.now + (try save.attached.timeout()))
            let turn = queue.enter(member, until: deadline)
            // The waits in the queue and for other processes end together.
            if case .leads(hasWaited: true) = turn { save.waitsUntil = deadline }
            return turn
        } catch {
            throw GraphError(ofSave: error)
        }
    }

    private var member: GroupSave.Member {
        GroupSave.Member(
            save: saves[0], isPacked: saves[0].hasKeys, progress: changes.watch?.progress)
    }

    /// Saves together with the saves that wait, in the order in which they asked.
    ///
    /// - Parameter queue: The queue that this save leads, or `nil` if it has none.
    /// - Returns: The answer for this save, or `nil` if no other save takes part.
    func saveGroup(of queue: GroupSave.Queue?) -> GroupSave.Answer? {
        // A save that reports its progress shares no commit: an observer may wait for a thread that waits for the
        // commit.
        guard let queue, changes.watch?.progress == nil,
            var group = GroupSave(ledBy: saves[0], references)
        else { return nil }
        var changeCount = saves[0].request.changeCount
        let others = queue.take { member in
            guard member.isPacked, member.progress == nil else { return false }
            changeCount += member.save.request.changeCount
            return changeCount <= GroupSave.mostChanges
        }
        if others.isEmpty { return nil }
        let answers = group.run([member] + others.map(\.work))
        for (other, answer) in zip(others, answers.dropFirst()) { other.answer(answer) }
        return answers[0]
    }

    /// Returns the result of a save that another one, or this one as the leader, has written. Saves
    /// without others if the answer says so.
    mutating func result(
        of answer: GroupSave.Answer, named name: SaveID?
    ) throws(GraphError) -> SaveResult? {
        switch answer {
        case .saved(let rows): return SaveResult(permanentIDs: permanentIDs, rows: rows)
        case .failed(let error): throw GraphError(ofSave: withPresentIDs(error))
        case .unknown(let failure):
            do {
                let rows = try saves[0].rows(afterUnknownOutcome: failure)
                return SaveResult(permanentIDs: permanentIDs, rows: rows)
            } catch .commitOutcomeUnknown(let failure) {
                throw .saveOutcomeUnknown(saves[0].location, saved: [], reason: failure)
            } catch {
                throw .store(error)
            }
        case .alone:
            saves[0].waitsUntil = nil
            return try attempt(named: name, leading: nil)
        }
    }
}
