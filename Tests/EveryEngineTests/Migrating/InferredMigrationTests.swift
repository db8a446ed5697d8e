import Cairn
import CairnTestSupport
import GraphSupport
import MigrationSupport
import Foundation
import Testing

/// Each kind of change, on each engine that uses files. The objects are compared one by one with the rules.
@Suite struct `Inferred migration` {
    @Test(arguments: everyFileEngine, ChangeCase.all)
    func `by copy keeps every object`(_ type: StoreType, _ change: ChangeCase) throws {
        let trial = try MigrationTrial(type, from: change.old, to: change.new)

        try trial.run(allowsInPlace: false)

        #expect(try trial.migration(allowsInPlace: false).plan().isNeeded == false)
    }

    @Test(arguments: ChangeCase.all)
    func `in the way that the SQLite engine prefers keeps every object`(_ change: ChangeCase) throws
    {
        let trial = try MigrationTrial(.sqlite, from: change.old, to: change.new)

        try trial.run(allowsInPlace: true)

        #expect(try trial.migration(allowsInPlace: true).plan().isNeeded == false)
    }
}
