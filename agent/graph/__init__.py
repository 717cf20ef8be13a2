"""The flow of DESIGN §3 as a LangGraph graph: wiring only; every stage is a pure function elsewhere."""
