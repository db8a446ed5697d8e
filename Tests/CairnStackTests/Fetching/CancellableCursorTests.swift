import CairnModel
import CairnRows
import CairnStore
import Testing

@testable import CairnStack

@Suite struct `Cancellable cursors` {
    /// Returns the same ID endlessly, and cancels its task during a given batch.
    private final class EndlessCursor: RowCursor {
        let completed = CompletedStages()
        private let cancellingBatch: Int
        private(set) var batchCount = 0

        init(cancellingBatch: Int) { self.cancellingBatch = cancellingBatch }

        func next(atMost count: Int) throws(StoreError) -> RowBatch? {
            batchCount += 1
            if batchCount == cancellingBatch { withUnsafeCurrentTask { $0?.cancel() } }
            return RowBatch(ids: [
                ObjectID(
                    store: StoreNumber(rawValue: 1), rootEntity: EntityNumber(0),
                    entity: EntityNumber(0), key: 1)
            ])
        }
    }

    private static func plan() throws -> FetchPlan {
        let model = try ManagedObjectModel(
            ModelDescription([EntityDescription("Song", [.attribute("title", .string)])]))
        return FetchPlan(entity: try #require(model.entity(named: "Song")))
    }

    @Test func `end after the batch with which their task was cancelled`() async throws {
        var plan = try Self.plan()
        plan.isCancellable = true

        let (batchCount, isCancelled) = await Task { [plan] in
            let source = EndlessCursor(cancellingBatch: 5)
            let cursor = source.cancellable(by: plan)
            do throws(StoreError) {
                while source.batchCount < 100 { _ = try cursor.next(atMost: 1) }
            } catch .cancelled {
                return (source.batchCount, true)
            } catch {}
            return (source.batchCount, false)
        }.value

        #expect(isCancelled)
        #expect(batchCount == 5)
    }

    @Test func `go on with a plan that is not cancellable`() async throws {
        let plan = try Self.plan()

        let batchCount = try await Task {
            let source = EndlessCursor(cancellingBatch: 1)
            let cursor = source.cancellable(by: plan)
            while source.batchCount < 3 { _ = try cursor.next(atMost: 1) }
            return source.batchCount
        }.value

        #expect(batchCount == 3)
    }
}
