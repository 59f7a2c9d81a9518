// Package vae is the conditional variational autoencoder of adaptive temperature
// scaling (Joy et al. 2023): its network, in float32, and its training.
package vae
