import CairnModel
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

@Suite struct `Migration in place` {
    @Test(arguments: MigrationCase.all)
    func `produces the objects, the schema and the metadata of the new version`(
        _ change: MigrationCase
    ) throws {
        let subject = try MigrationSubject(change.old, change.new)
        let verdict = InferenceVerdict(from: subject.changes.old, to: subject.changes.new)
        try #require(verdict.isPossible, "\(verdict.refusals)")

        try subject.migrateAndCheck(ignoresJoinNames: change.ignoresJoinNames)
    }
}
