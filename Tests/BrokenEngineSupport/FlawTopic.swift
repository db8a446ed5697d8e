/// A topic of the conformance kit and the flaws that its rules must notice.
///
/// The flaws for the rules of a file in `Sources/CairnConformance/Rules` are in the file of the same name in
/// `Flaws`. A test compares the topics and the files with those of the kit.
package enum FlawTopic: String, CaseIterable, Sendable {
    case opening
    case identity
    case values
    case reading
    case saving
    case transactions
    case conflicts
    case groupedSaves = "grouped saves"
    case namedSaves = "named saves"
    case derivedAttributes = "derived attributes"
    case relationships
    case fetching
    case snapshots
    case concurrency
    case parallelSaves = "parallel saves"
    case reopening
    case files
    case copies
    case history
    case damage
    case severalHandles = "several handles"
    case severalProcesses = "several processes"

    /// The flaws of the topic, each assigned to it.
    package var flaws: [Flaw] { lists.map { $0.noticed(by: rawValue) } }

    private var lists: [Flaw] {
        switch self {
        case .opening: Flaw.ofOpening + Flaw.ofClosing
        case .identity: Flaw.ofIdentity
        case .values: Flaw.ofValues
        case .reading: Flaw.ofReading + Flaw.ofReadingCalls
        case .saving: Flaw.ofSaving
        case .transactions: Flaw.ofTransactions
        case .conflicts: Flaw.ofConflicts
        case .groupedSaves: Flaw.ofGroupedSaves
        case .namedSaves: Flaw.ofNamedSaves
        case .derivedAttributes: Flaw.ofDerivations
        case .relationships:
            Flaw.ofRelationships + Flaw.ofRelationshipCalls + Flaw.ofPairs
        case .fetching: Flaw.ofFetching + Flaw.ofCursors + Flaw.ofParts
        case .snapshots: Flaw.ofSnapshots + Flaw.ofSnapshotCalls
        case .concurrency: Flaw.ofConcurrency
        case .parallelSaves: Flaw.ofParallelSaves
        case .reopening: Flaw.ofReopening
        case .files: Flaw.ofFiles
        case .copies: Flaw.ofCopies
        case .history: Flaw.ofHistory
        case .damage: Flaw.ofDamage
        case .severalHandles: Flaw.ofHandles
        case .severalProcesses: Flaw.ofProcesses
        }
    }
}
