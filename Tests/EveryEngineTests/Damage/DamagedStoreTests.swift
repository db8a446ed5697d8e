import CairnTestSupport
import Foundation
import StoreFileSupport
import Testing

@Suite struct `Damaged stores` {
    @Test(arguments: DamageSubject.real)
    func `are refused or read, and never crash the process`(_ subject: DamageSubject) throws {
        let run = try DamageRun(subject)

        let outcomes = try run.run(0..<DamageRun.count)

        for outcome in outcomes where !isContained(outcome, subject) {
            Issue.record("\(run.name(outcome))")
        }
        #expect(outcomes.count == DamageRun.count)
        let texts = Dictionary(grouping: outcomes) { $0.text ?? "ended" }.mapValues(\.count)
        print("damage of \(subject.rawValue): \(texts.sorted { $0.key < $1.key })")
        #expect(texts["refused", default: 0] > DamageRun.count / 10)
        // Otherwise the code after the first check was never reached.
        let readCount = texts["same", default: 0] + texts["different", default: 0]
        #expect(readCount > 0 || subject == .binary || subject == .xml)
    }

    /// LMDB maps its file and follows the numbers in it. Damage to pages that are not checked when the file
    /// is opened may end the process (docs/formats/lmdb.md). A truncated file, or a file of another program,
    /// may not.
    private func isContained(_ outcome: DamageRun.Outcome, _ subject: DamageSubject) -> Bool {
        guard let end = outcome.end else { return outcome.text != "wrong" }
        let harmless: Set<FileDamage.Kind> = [.cut, .cutAtPage, .otherEnginesFile, .allGarbage]
        return subject == .lmdb && !harmless.contains(outcome.kind)
            && [.signal(SIGBUS), .signal(SIGSEGV), .signal(SIGABRT)].contains(end)
    }

    /// Without these limits, an endless read would take down the machine, or go unnoticed.
    @Test func `cost a bounded amount of memory and time`() throws {
        let hungry = try WorkerProcess("take", "memory")
        let endless = try WorkerProcess("take", "time")

        let ends = [hungry.end(), endless.end()]

        #expect([.signal(SIGILL), .signal(SIGTRAP), .signal(SIGABRT)].contains(ends[0]))
        #expect(ends[1] == .signal(SIGXCPU))
    }

    @Test func `that crash a careless engine are found and named`() throws {
        let run = try DamageRun(.planted)

        let outcomes = try run.run(0..<100)
        let ended = outcomes.filter { $0.end != nil }
        let first = try #require(ended.first)
        let again = try run.run(first.number..<first.number + 1)

        #expect(outcomes.map(\.number) == Array(0..<100))
        #expect(ended.allSatisfy { [.signal(SIGILL), .signal(SIGTRAP)].contains($0.end) })
        #expect(again.map(\.end) == [first.end])
        #expect(run.name(first).contains("file \(first.number)"))
    }
}
