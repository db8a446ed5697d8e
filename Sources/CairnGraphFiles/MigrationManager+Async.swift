import CairnStack
import CairnStore
import CairnStoreCopying
import CairnThreads
import Foundation

extension MigrationManager {
    /// Migrates a store on a background thread. Cancelling the task cancels the migration. See
    /// ``migrateStore(at:ofType:configurationName:options:keepingBackupAt:)``.
    ///
    /// - Throws: The same errors as that method.
    @discardableResult
    public func migrateStore(
        at url: URL, ofType type: StoreType, configurationName configuration: String? = nil,
        options: StoreOptions = [:], keepingBackupAt backup: URL? = nil
    ) async throws(GraphError) -> MigrationPlan {
        let progress = progress
        let result: Result<MigrationPlan, GraphError> = await withTaskCancellationHandler {
            do throws(GraphError) {
                return .success(
                    try await TurnExecutor().runWaiting { () throws(GraphError) in
                        try self.migrateStore(
                            at: url, ofType: type, configurationName: configuration,
                            options: options, keepingBackupAt: backup)
                    })
            } catch {
                return .failure(error)
            }
        } onCancel: {
            progress.cancel()
        }
        return try result.get()
    }
}
