import ArgumentParser
import Testing

@testable import CairnBench

@Suite struct `Arguments of cairn-bench` {
    private func parse(_ arguments: String...) throws -> CairnBench {
        try CairnBench.parse(arguments)
    }

    @Test func `without any, all engines at 100,000 objects in 7 rounds`() throws {
        let choice = try parse().choice

        #expect(choice.sizes == [100_000])
        #expect(choice.engines == ["SQLite", "LMDB", "Binary", "XML", "InMemory"])
        #expect(choice.roundCount == 7)
        #expect(choice.workloads.count > 30)
    }

    @Test func `quick takes fewer objects and rounds, of every engine, unless told otherwise`()
        throws
    {
        let quick = try parse("--quick").choice
        let told = try parse("--quick", "--size", "50000", "--engine", "XML").choice

        #expect(quick.sizes == [10_000])
        #expect(quick.engines == ["SQLite", "LMDB", "Binary", "XML", "InMemory"])
        #expect(quick.roundCount == 3)
        #expect(told.sizes == [50_000])
        #expect(told.engines == ["XML"])
    }

    @Test func `several values follow one option, in any case of letters`() throws {
        let choice = try parse("--engine", "sqlite", "lmdb", "--workload", "k", "OPEN").choice

        #expect(choice.engines == ["SQLite", "LMDB"])
        #expect(choice.workloads.map(\.name) == ["K", "open"])
    }

    @Test(arguments: [
        (["--engine", "Oracle"], "there are SQLite"), (["--workload", "Z9"], "see --list"),
        (["--size", "10"], "at least 1000"), (["--rounds", "0"], "at least 1"),
        (["--model", "M.mom"], "give that too"),
    ])
    func `what makes no sense is refused, with what there is`(
        arguments: [String], message: String
    ) throws {
        let error = #expect(throws: (any Error).self) { try CairnBench.parse(arguments) }

        #expect(error.map { CairnBench.message(for: $0) }?.contains(message) == true)
    }
}
